/** Romanian. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Plată securizată",
    cardNumber: "Numărul cardului",
    expiry: "Data expirării",
    expiryPlaceholder: "LL / AA",
    cvc: "Cod CVC",
    pay: "Plătiți",
    encrypted: "Criptat pe acest dispozitiv",
    test: "TEST",
    unreachable: [
      "Fără conexiune",
      "Serviciul de plată nu a putut fi contactat. Nu s-a trimis nimic. Verificați conexiunea și încercați din nou.",
    ],
    retry: "Încercați din nou",
    needsScript: "Activați JavaScript pentru a plăti aici.",
  },
  form: {
    savingTitle: "Salvați un card",
    name: "Numele de pe card",
    email: "E-mail",
    postalCode: "Cod poștal",
    networkChoice: "Plătiți cu: {networks}",
    orderDetails: "Detaliile comenzii",
    total: "Total",
    payAmount: "Plătiți {amount}",
    save: "Salvați cardul",
    alsoSaved: "{merchant} va păstra acest card pentru plăți viitoare.",
    onlySaved: "Acum nu se debitează nicio sumă. {merchant} va păstra acest card pentru plăți viitoare.",
    backTo: "Înapoi la {merchant}",
    invalid: [
      "Reveniți în magazin",
      "Plata nu se poate face direct din această pagină. Începeți din nou de la finalizarea comenzii în magazin.",
    ],
    unsupported: [
      "Acest browser este prea vechi",
      "Pentru a plăti în siguranță, actualizați browserul sau deschideți magazinul în altul.",
    ],
    sandboxed: [
      "Acest formular nu poate fi folosit aici",
      "O setare de securitate a acestui site îl blochează. Nu s-a trimis nimic. Contactați magazinul.",
    ],
    problems: {
      numberMissing: "Introduceți numărul cardului.",
      numberIncomplete: "Numărul cardului este prea scurt.",
      numberWrong: "Verificați numărul cardului: una dintre cifre pare greșită.",
      expiryMissing: "Introduceți data expirării.",
      expiryIncomplete: "Introduceți luna și anul, de exemplu 04 / 29.",
      expiryPast: "Acest card a expirat.",
      expiryFar: "Verificați anul.",
      cvcMissing: "Introduceți codul CVC.",
      cvcIncomplete3: "Codul are 3 cifre și se află pe spatele cardului.",
      cvcIncomplete4: "Codul are 4 cifre și se află pe fața cardului.",
      nameMissing: "Introduceți numele de pe card.",
      nameWrong: "Verificați numele.",
      emailMissing: "Introduceți adresa de e-mail.",
      emailWrong: "Verificați adresa de e-mail, de exemplu nume@example.com.",
      postalCodeMissing: "Introduceți codul poștal.",
      postalCodeWrong: "Verificați codul poștal.",
    },
    steps: {
      submitting: "Se trimite…",
      authenticating: "Banca dumneavoastră verifică…",
      confirming: "Se confirmă…",
      reconnecting: "Se reia conexiunea…",
    },
    notices: {
      connectionLost: {
        paying: "Conexiunea s-a întrerupt. Verificăm dacă plata a fost efectuată. Deocamdată nu plătiți din nou.",
        saving: "Conexiunea s-a întrerupt. Verificăm dacă a fost salvat cardul. Deocamdată nu îl trimiteți din nou.",
      },
      notStarted: "Conexiunea s-a întrerupt. {outcome} Puteți încerca din nou.",
      orderChanged: "Comanda dvs. s-a modificat. {outcome} Verificați totalul înainte de a plăti.",
      rateLimited: "Prea multe încercări într-un timp scurt. {outcome} Așteptați un minut și încercați din nou.",
      notAccepted: "Datele cardului nu au putut fi trimise. {outcome} Încercați din nou.",
      testCardsOnly: "Sunteți în modul de testare: folosiți unul dintre cardurile de test. {outcome}",
      wiped: "Pentru siguranța dumneavoastră, datele cardului au fost șterse după zece minute.",
    },
    outcomes: {
      paying: "Nu s-a debitat nicio sumă.",
      saving: "Cardul nu a fost salvat.",
    },
    results: {
      succeeded: {
        paying: ["Plată efectuată", "Vă mulțumim."],
        saving: ["Card salvat", "Nu s-a debitat nicio sumă."],
      },
      requires_confirmation: ["Card acceptat", "Magazinul vă finalizează comanda."],
      processing: {
        paying: [
          "Se așteaptă confirmarea",
          "Banca dumneavoastră nu a răspuns încă. Nu plătiți din nou: rezultatul va apărea pe această pagină.",
        ],
        saving: [
          "Se așteaptă confirmarea",
          "Banca dumneavoastră nu a răspuns încă. Nu introduceți cardul din nou: rezultatul va apărea pe această pagină.",
        ],
      },
      unknown: {
        paying: [
          "Încă nu știm rezultatul",
          "Conexiunea s-a întrerupt în timpul plății. Nu plătiți din nou până când această pagină nu verifică rezultatul.",
        ],
        saving: [
          "Încă nu știm rezultatul",
          "Conexiunea s-a întrerupt în timpul salvării cardului. Nu începeți din nou până când această pagină nu verifică rezultatul.",
        ],
      },
    },
    checkAgain: "Verificați din nou",
    continueTo: "Continuați către {merchant}",
    takingYouBack: "Se revine la {merchant}…",
  },
  after: {
    declined: {
      declined: "Acest card a fost refuzat. {outcome} Verificați datele sau folosiți alt card.",
      insufficient_funds: "Fonduri insuficiente pe acest card. {outcome} Încercați cu alt card.",
      expired_card: "Acest card a expirat. {outcome} Încercați cu alt card.",
      check_card: "Banca dumneavoastră nu a acceptat aceste date. {outcome} Verificați-le și încercați din nou.",
      authentication_failed:
        "Banca dumneavoastră nu v-a putut confirma identitatea. {outcome} Încercați din nou sau folosiți alt card.",
      authentication_canceled: "Ați anulat operațiunea. {outcome}",
      authentication_timed_out: "Verificarea de către bancă a durat prea mult. {outcome} Încercați din nou.",
      duplicate:
        "Tocmai a fost trimisă o plată identică, care este posibil să fi reușit. Verificați cu magazinul sau cu banca înainte de a plăti din nou.",
      try_again: "Operațiunea nu a putut fi procesată momentan. {outcome} Încercați din nou peste câteva momente.",
    },
    attemptsLeft: {
      one: "Mai puteți încerca o singură dată.",
      few: "Mai puteți încerca de {count} ori.",
      other: "Mai puteți încerca de {count} de ori.",
    },
    results: {
      expired: ["Această pagină a expirat", "Timpul s-a scurs. {outcome} Reveniți în magazin pentru a începe din nou."],
      canceled: ["Anulat de magazin", "{outcome} Reveniți în magazin pentru a începe din nou."],
      ended: ["Nu mai sunt încercări", "{outcome} Reveniți în magazin pentru a începe din nou."],
    },
    confirmTitle: {
      paying: "Verificați înainte de a plăti",
      saving: "Verificați înainte de a salva",
    },
    confirmText: {
      paying:
        "Nu am putut verifica dacă acest formular se vede în întregime. Asigurați-vă că magazinul și suma sunt corecte.",
      saving:
        "Nu am putut verifica dacă acest formular se vede în întregime. Asigurați-vă că magazinul este cel corect.",
    },
    confirmPay: "Da, plătesc {amount}",
    confirmSave: "Da, salvez cardul",
    confirmBack: "Înapoi",
    tax: "Taxe",
    expiring: "Această pagină va expira în curând. Timp rămas: {time}",
    receiptAmount: "Suma",
    receiptDate: "Data",
    receiptReference: "Referința",
    bankTitle: "Confirmați la banca dumneavoastră",
    bankFrame: "Pagina băncii dumneavoastră",
    bankOpened: "Banca dumneavoastră vrea să vă confirme identitatea.",
    bankOpening: "Se deschide pagina băncii…",
    bankSlow: "Pagina băncii se încarcă greu. Puteți aștepta sau puteți anula și folosi alt card.",
    bankTrouble:
      "Întâmpinați probleme? Dacă pagina rămâne goală sau nu primiți niciun cod, anulați și încercați cu alt card.",
    bankConfirming: "Se așteaptă răspunsul băncii…",
    decoupledTitle: "Aprobați în aplicația băncii",
    decoupledText: "Deschideți aplicația băncii și aprobați acolo. Această pagină va continua automat.",
    cancel: "Anulați",
    cancelQuestion: "Doriți să anulați?",
    cancelNo: "Continuați",
    cancelYes: "Da, anulez",
    canceling: "Se anulează…",
  },
} satisfies Language;
