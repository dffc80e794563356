/** Hungarian. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Biztonságos fizetés",
    cardNumber: "Kártyaszám",
    expiry: "Lejárat",
    expiryPlaceholder: "HH / ÉÉ",
    cvc: "CVC-kód",
    pay: "Fizetés",
    encrypted: "Titkosítva ezen az eszközön",
    test: "TESZT",
    unreachable: [
      "Nincs kapcsolat",
      "Nem értük el a fizetési szolgáltatást. Semmit nem küldtünk el. Ellenőrizze a kapcsolatot, és próbálja újra.",
    ],
    retry: "Újrapróbálás",
    needsScript: "A fizetéshez kapcsolja be a JavaScriptet.",
  },
  form: {
    savingTitle: "Kártya mentése",
    name: "Név a kártyán",
    email: "E-mail-cím",
    postalCode: "Irányítószám",
    networkChoice: "Fizetés ezzel: {networks}",
    orderDetails: "A rendelés részletei",
    total: "Összesen",
    payAmount: "{amount} fizetése",
    save: "Kártya mentése",
    alsoSaved: "A kereskedő ({merchant}) elmenti ezt a kártyát a későbbi fizetésekhez.",
    onlySaved:
      "Most nem terheljük meg a kártyáját. A kereskedő ({merchant}) elmenti ezt a kártyát a későbbi fizetésekhez.",
    backTo: "Vissza: {merchant}",
    invalid: [
      "Térjen vissza a kereskedőhöz",
      "Erről az oldalról közvetlenül nem lehet fizetni. Kezdje újra a webáruház kosarából.",
    ],
    unsupported: [
      "Ez a böngésző túl régi",
      "A biztonságos fizetéshez frissítse a böngészőt, vagy nyissa meg a webáruházat egy másikban.",
    ],
    sandboxed: [
      "Ez az űrlap itt nem használható",
      "A webhely egyik biztonsági beállítása letiltja. Semmit nem küldtünk el. Forduljon a kereskedőhöz.",
    ],
    problems: {
      numberMissing: "Adja meg a kártyaszámot.",
      numberIncomplete: "A kártyaszám túl rövid.",
      numberWrong: "Ellenőrizze a kártyaszámot: úgy tűnik, az egyik számjegy hibás.",
      expiryMissing: "Adja meg a lejárati dátumot.",
      expiryIncomplete: "Adja meg a hónapot és az évet, például 04 / 29.",
      expiryPast: "Ez a kártya lejárt.",
      expiryFar: "Ellenőrizze az évszámot.",
      cvcMissing: "Adja meg a CVC-kódot.",
      cvcIncomplete3: "A kód 3 számjegyű, és a kártya hátoldalán található.",
      cvcIncomplete4: "A kód 4 számjegyű, és a kártya előlapján található.",
      nameMissing: "Adja meg a kártyán szereplő nevet.",
      nameWrong: "Ellenőrizze a nevet.",
      emailMissing: "Adja meg az e-mail-címét.",
      emailWrong: "Ellenőrizze az e-mail-címet (például nev@example.com).",
      postalCodeMissing: "Adja meg az irányítószámát.",
      postalCodeWrong: "Ellenőrizze az irányítószámot.",
    },
    steps: {
      submitting: "Küldés…",
      authenticating: "Ellenőrzés az Ön bankjánál…",
      confirming: "Megerősítés…",
      reconnecting: "Újracsatlakozás…",
    },
    notices: {
      connectionLost: {
        paying: "Megszakadt a kapcsolat. Ellenőrizzük, hogy sikerült-e a fizetés. Egyelőre ne fizessen újra.",
        saving: "Megszakadt a kapcsolat. Ellenőrizzük, hogy sikerült-e a kártya mentése. Egyelőre ne küldje el újra.",
      },
      notStarted: "Megszakadt a kapcsolat. {outcome} Megpróbálhatja újra.",
      orderChanged: "A rendelése megváltozott. {outcome} Fizetés előtt ellenőrizze a végösszeget.",
      rateLimited: "Túl sok próbálkozás rövid idő alatt. {outcome} Várjon egy percet, majd próbálja újra.",
      notAccepted: "A kártyaadatokat nem sikerült elküldeni. {outcome} Próbálja újra.",
      testCardsOnly: "Ez tesztüzemmód: használja valamelyik tesztkártyát. {outcome}",
      wiped: "Az Ön biztonsága érdekében a kártyaadatokat tíz perc után töröltük.",
    },
    outcomes: { paying: "A kártyáját nem terheltük meg.", saving: "A kártyáját nem mentettük el." },
    results: {
      succeeded: {
        paying: ["Sikeres fizetés", "Köszönjük."],
        saving: ["Kártya elmentve", "A kártyáját nem terheltük meg."],
      },
      requires_confirmation: ["Kártya elfogadva", "A kereskedő véglegesíti a rendelését."],
      processing: {
        paying: [
          "Megerősítésre várunk",
          "A bankja még nem válaszolt. Ne fizessen újra: az eredményt ezen az oldalon fogja látni.",
        ],
        saving: [
          "Megerősítésre várunk",
          "A bankja még nem válaszolt. Ne adja meg újra a kártyát: az eredményt ezen az oldalon fogja látni.",
        ],
      },
      unknown: {
        paying: [
          "Még nem tudjuk az eredményt",
          "Fizetés közben megszakadt a kapcsolat. Ne fizessen újra, amíg ez az oldal nem ellenőrizte az eredményt.",
        ],
        saving: [
          "Még nem tudjuk az eredményt",
          "A kártya mentése közben megszakadt a kapcsolat. Ne kezdje újra, amíg ez az oldal nem ellenőrizte az eredményt.",
        ],
      },
    },
    checkAgain: "Új ellenőrzés",
    continueTo: "Tovább: {merchant}",
    takingYouBack: "Visszairányítás: {merchant}…",
  },
  after: {
    declined: {
      declined: "A kártyát elutasították. {outcome} Ellenőrizze az adatokat, vagy használjon másik kártyát.",
      insufficient_funds: "Nincs elegendő fedezet a kártyán. {outcome} Próbálja meg másik kártyával.",
      expired_card: "Ez a kártya lejárt. {outcome} Próbálja meg másik kártyával.",
      check_card: "A bankja nem fogadta el ezeket az adatokat. {outcome} Ellenőrizze őket, és próbálja újra.",
      authentication_failed:
        "A bankja nem tudta azonosítani Önt. {outcome} Próbálja újra, vagy használjon másik kártyát.",
      authentication_canceled: "Ön megszakította a műveletet. {outcome}",
      authentication_timed_out: "A banki ellenőrzés túl sokáig tartott. {outcome} Próbálja újra.",
      duplicate:
        "Az imént már történt egy ugyanilyen fizetés, amely lehet, hogy sikerült. Mielőtt újra fizet, egyeztessen a kereskedővel vagy a bankjával.",
      try_again: "A műveletet most nem sikerült feldolgozni. {outcome} Próbálja újra kicsit később.",
    },
    attemptsLeft: {
      one: "Még {count} alkalommal próbálkozhat.",
      other: "Még {count} alkalommal próbálkozhat.",
    },
    results: {
      expired: [
        "Ez az oldal lejárt",
        "Letelt a rendelkezésre álló idő. {outcome} Térjen vissza a kereskedőhöz, és kezdje újra.",
      ],
      canceled: ["A kereskedő megszakította a műveletet", "{outcome} Térjen vissza a kereskedőhöz, és kezdje újra."],
      ended: ["Nincs több próbálkozás", "{outcome} Térjen vissza a kereskedőhöz, és kezdje újra."],
    },
    confirmTitle: { paying: "Fizetés előtt ellenőrizze", saving: "Mentés előtt ellenőrizze" },
    confirmText: {
      paying:
        "Nem tudtuk megállapítani, hogy az űrlap teljesen látszik-e. Győződjön meg arról, hogy a kereskedő és az összeg helyes.",
      saving:
        "Nem tudtuk megállapítani, hogy az űrlap teljesen látszik-e. Győződjön meg arról, hogy a kereskedő a megfelelő.",
    },
    confirmPay: "Igen, {amount} fizetése",
    confirmSave: "Igen, kártya mentése",
    confirmBack: "Vissza",
    tax: "Adó",
    expiring: "Ez az oldal hamarosan lejár. Hátralévő idő: {time}",
    receiptAmount: "Összeg",
    receiptDate: "Dátum",
    receiptReference: "Azonosító",
    bankTitle: "Jóváhagyás a bankjánál",
    bankFrame: "A bankja oldala",
    bankOpened: "A bankja szeretne meggyőződni arról, hogy valóban Ön az.",
    bankOpening: "A bankja oldalának megnyitása…",
    bankSlow: "A bankja oldala lassan töltődik be. Várhat, vagy megszakíthatja, és használhat másik kártyát.",
    bankTrouble:
      "Gondja van? Ha az oldal üres marad, vagy nem érkezik kód, szakítsa meg a műveletet, és próbálja meg másik kártyával.",
    bankConfirming: "Várakozás a bankja válaszára…",
    decoupledTitle: "Jóváhagyás a banki alkalmazásban",
    decoupledText: "Nyissa meg a bankja alkalmazását, és hagyja jóvá ott a műveletet. Ez az oldal magától továbblép.",
    cancel: "Megszakítás",
    cancelQuestion: "Megszakítja?",
    cancelNo: "Folytatás",
    cancelYes: "Igen, megszakítom",
    canceling: "Megszakítás folyamatban…",
  },
} satisfies Language;
