/**
 * The loader's own texts in all languages of the form: the link to the full page and the dialog's close button.
 *
 * They are part of the script because the link is needed when nothing else loads. A separate file could be blocked by
 * the same policy or fail on the same network, and `integrity` wouldn't cover it.
 */
import { bestLanguage, fallbackLanguage, languages } from "@oriel/protocol/languages";

export interface LoaderTexts {
  language: string;
  /** The text of the link to the full page. */
  label: string;
  /** The accessible name of the dialog's button, which shows ×. */
  close: string;
}

/** One line per language, in the order of `languages`. */
const lines = `المتابعة إلى الدفع|إغلاق
Към плащането|Затваряне
Continua al pagament|Tanca
Pokračovat k platbě|Zavřít
Fortsæt til betaling|Luk
Weiter zur Zahlung|Schließen
Συνέχεια στην πληρωμή|Κλείσιμο
Continue to payment|Close
Continuar al pago|Cerrar
Edasi maksma|Sulge
ادامه پرداخت|بستن
Jatka maksamaan|Sulje
Continuer vers le paiement|Fermer
המשך לתשלום|סגירה
भुगतान के लिए आगे बढ़ें|बंद करें
Nastavi na plaćanje|Zatvori
Tovább a fizetéshez|Bezárás
Lanjutkan ke pembayaran|Tutup
Procedi al pagamento|Chiudi
お支払いに進む|閉じる
결제 계속하기|닫기
Tęsti mokėjimą|Uždaryti
Turpināt maksājumu|Aizvērt
Teruskan ke pembayaran|Tutup
Fortsett til betaling|Lukk
Verder naar betalen|Sluiten
Przejdź do płatności|Zamknij
Continuar para o pagamento|Fechar
Continuar para o pagamento|Fechar
Continuați către plată|Închideți
Перейти к оплате|Закрыть
Pokračovať k platbe|Zavrieť
Nadaljuj na plačilo|Zapri
Fortsätt till betalning|Stäng
ดำเนินการชำระเงินต่อ|ปิด
Ödemeye geç|Kapat
Перейти до оплати|Закрити
Tiếp tục thanh toán|Đóng
前往付款|关闭
前往付款|關閉`;

/** @param locale the `locale` option. As in the form, `auto` means the browser's languages. */
export const loaderTexts = (locale = "auto"): LoaderTexts => {
  const requested = locale === "auto" ? navigator.languages.find(bestLanguage) : locale;
  const language = bestLanguage(requested ?? "") ?? fallbackLanguage;
  const [label, close] = lines.split("\n")[languages.indexOf(language)]!.split("|") as [string, string]; // each language has a line
  return { language, label, close };
};
