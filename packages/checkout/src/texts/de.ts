/** German. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Sichere Zahlung",
    cardNumber: "Kartennummer",
    expiry: "Gültig bis",
    expiryPlaceholder: "MM / JJ",
    cvc: "Prüfnummer",
    pay: "Bezahlen",
    encrypted: "Auf diesem Gerät verschlüsselt",
    test: "TESTMODUS",
    unreachable: [
      "Keine Verbindung",
      "Der Zahlungsdienst ist nicht erreichbar. Es wurde nichts gesendet. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    ],
    retry: "Erneut versuchen",
    needsScript: "Schalten Sie JavaScript ein, um hier zu bezahlen.",
  },
  form: {
    savingTitle: "Karte speichern",
    name: "Name auf der Karte",
    email: "E-Mail",
    postalCode: "Postleitzahl",
    networkChoice: "Bezahlen mit: {networks}",
    orderDetails: "Ihre Bestellung",
    total: "Summe",
    payAmount: "{amount} bezahlen",
    placeOrder: "Jetzt bestellen",
    save: "Karte speichern",
    alsoSaved: "{merchant} speichert diese Karte für spätere Zahlungen.",
    onlySaved: "Jetzt wird nichts abgebucht. {merchant} speichert diese Karte für spätere Zahlungen.",
    backTo: "Zurück zu {merchant}",
    invalid: [
      "Zurück zum Shop",
      "Direkt auf dieser Seite können Sie nicht bezahlen. Beginnen Sie noch einmal an der Kasse des Shops.",
    ],
    unsupported: [
      "Dieser Browser ist zu alt",
      "Aktualisieren Sie Ihren Browser oder öffnen Sie den Shop in einem anderen, um sicher zu bezahlen.",
    ],
    sandboxed: [
      "Dieses Formular funktioniert hier nicht",
      "Eine Sicherheitseinstellung dieser Website blockiert es. Es wurde nichts gesendet. Wenden Sie sich an den Shop.",
    ],
    problems: {
      numberMissing: "Geben Sie Ihre Kartennummer ein.",
      numberIncomplete: "Diese Kartennummer ist zu kurz.",
      numberWrong: "Prüfen Sie die Kartennummer: Eine Ziffer scheint falsch zu sein.",
      expiryMissing: "Geben Sie das Ablaufdatum ein.",
      expiryIncomplete: "Geben Sie Monat und Jahr ein, zum Beispiel 04 / 29.",
      expiryPast: "Diese Karte ist abgelaufen.",
      expiryFar: "Prüfen Sie das Jahr.",
      cvcMissing: "Geben Sie die Prüfnummer ein.",
      cvcIncomplete3: "Die Prüfnummer hat 3 Ziffern und steht auf der Rückseite der Karte.",
      cvcIncomplete4: "Die Prüfnummer hat 4 Ziffern und steht auf der Vorderseite der Karte.",
      nameMissing: "Geben Sie den Namen ein, der auf der Karte steht.",
      nameWrong: "Prüfen Sie den Namen.",
      emailMissing: "Geben Sie Ihre E-Mail-Adresse ein.",
      emailWrong: "Prüfen Sie die E-Mail-Adresse, zum Beispiel name@example.com.",
      postalCodeMissing: "Geben Sie Ihre Postleitzahl ein.",
      postalCodeWrong: "Prüfen Sie die Postleitzahl.",
    },
    steps: {
      submitting: "Wird gesendet…",
      authenticating: "Ihre Bank prüft…",
      confirming: "Wird bestätigt…",
      reconnecting: "Verbindung wird wiederhergestellt…",
    },
    notices: {
      connectionLost: {
        paying:
          "Die Verbindung ist abgebrochen. Wir prüfen, ob Ihre Zahlung durchgeführt wurde. Bezahlen Sie vorerst nicht noch einmal.",
        saving:
          "Die Verbindung ist abgebrochen. Wir prüfen, ob Ihre Karte gespeichert wurde. Senden Sie die Karte vorerst nicht noch einmal.",
      },
      notStarted: "Die Verbindung ist abgebrochen. {outcome} Sie können es noch einmal versuchen.",
      orderChanged: "Ihre Bestellung hat sich geändert. {outcome} Prüfen Sie die Summe, bevor Sie bezahlen.",
      rateLimited:
        "Zu viele Versuche in kurzer Zeit. {outcome} Warten Sie eine Minute und versuchen Sie es dann noch einmal.",
      notAccepted: "Die Karte konnte nicht gesendet werden. {outcome} Versuchen Sie es noch einmal.",
      testCardsOnly: "Dies ist der Testmodus: Nehmen Sie eine der Testkarten. {outcome}",
      wiped: "Zu Ihrer Sicherheit wurden Ihre Kartendaten nach zehn Minuten gelöscht.",
    },
    outcomes: {
      paying: "Es wurde nichts abgebucht.",
      saving: "Ihre Karte wurde nicht gespeichert.",
    },
    results: {
      succeeded: {
        paying: ["Zahlung abgeschlossen", "Vielen Dank."],
        saving: ["Karte gespeichert", "Es wurde nichts abgebucht."],
      },
      placed: ["Bestellung aufgegeben", "Vielen Dank."],
      requires_confirmation: ["Karte angenommen", "Der Shop schließt Ihre Bestellung ab."],
      processing: {
        paying: [
          "Noch nicht bestätigt",
          "Ihre Bank hat noch nicht geantwortet. Bezahlen Sie nicht noch einmal: Das Ergebnis erscheint auf dieser Seite.",
        ],
        saving: [
          "Noch nicht bestätigt",
          "Ihre Bank hat noch nicht geantwortet. Geben Sie die Karte nicht noch einmal ein: Das Ergebnis erscheint auf dieser Seite.",
        ],
      },
      unknown: {
        paying: [
          "Wir wissen es noch nicht",
          "Die Verbindung ist während der Zahlung abgebrochen. Bezahlen Sie nicht noch einmal, bevor diese Seite das Ergebnis geprüft hat.",
        ],
        saving: [
          "Wir wissen es noch nicht",
          "Die Verbindung ist beim Speichern Ihrer Karte abgebrochen. Beginnen Sie nicht von vorn, bevor diese Seite das Ergebnis geprüft hat.",
        ],
      },
    },
    checkAgain: "Erneut prüfen",
    continueTo: "Weiter zu {merchant}",
    takingYouBack: "Sie werden zu {merchant} zurückgeleitet…",
  },
  after: {
    declined: {
      declined: "Diese Karte wurde abgelehnt. {outcome} Prüfen Sie die Angaben oder nehmen Sie eine andere Karte.",
      insufficient_funds: "Diese Karte ist nicht ausreichend gedeckt. {outcome} Nehmen Sie eine andere Karte.",
      expired_card: "Diese Karte ist abgelaufen. {outcome} Nehmen Sie eine andere Karte.",
      check_card:
        "Ihre Bank hat diese Angaben nicht angenommen. {outcome} Prüfen Sie sie und versuchen Sie es noch einmal.",
      authentication_failed:
        "Ihre Bank konnte nicht bestätigen, dass Sie es sind. {outcome} Versuchen Sie es noch einmal oder nehmen Sie eine andere Karte.",
      authentication_canceled: "Sie haben abgebrochen. {outcome}",
      authentication_timed_out: "Die Prüfung Ihrer Bank hat zu lange gedauert. {outcome} Versuchen Sie es noch einmal.",
      duplicate:
        "Dieselbe Zahlung wurde kurz zuvor schon einmal gesendet und möglicherweise ausgeführt. Fragen Sie im Shop oder bei Ihrer Bank nach, bevor Sie noch einmal bezahlen.",
      try_again: "Der Vorgang konnte gerade nicht verarbeitet werden. {outcome} Versuchen Sie es gleich noch einmal.",
    },
    attemptsLeft: {
      one: "Sie können es noch {count} Mal versuchen.",
      other: "Sie können es noch {count} Mal versuchen.",
    },
    results: {
      expired: [
        "Diese Seite ist abgelaufen",
        "Ihre Sitzung ist abgelaufen. {outcome} Gehen Sie zurück zum Shop, um neu zu beginnen.",
      ],
      canceled: ["Vom Shop abgebrochen", "{outcome} Gehen Sie zurück zum Shop, um neu zu beginnen."],
      ended: ["Keine weiteren Versuche", "{outcome} Gehen Sie zurück zum Shop, um neu zu beginnen."],
    },
    confirmTitle: {
      paying: "Vor dem Bezahlen prüfen",
      saving: "Vor dem Speichern prüfen",
    },
    confirmText: {
      paying:
        "Wir konnten nicht erkennen, ob dieses Formular ganz zu sehen ist. Vergewissern Sie sich, dass Shop und Betrag stimmen.",
      saving:
        "Wir konnten nicht erkennen, ob dieses Formular ganz zu sehen ist. Vergewissern Sie sich, dass es der richtige Shop ist.",
    },
    confirmPay: "Ja, {amount} bezahlen",
    confirmSave: "Ja, Karte speichern",
    confirmBack: "Zurück",
    tax: "Steuern",
    expiring: "Diese Seite läuft gleich ab. Verbleibende Zeit: {time}",
    receiptAmount: "Betrag",
    receiptDate: "Datum",
    receiptReference: "Referenz",
    bankTitle: "Bei Ihrer Bank bestätigen",
    bankFrame: "Seite Ihrer Bank",
    bankOpened: "Ihre Bank möchte sichergehen, dass Sie es sind.",
    bankOpening: "Die Seite Ihrer Bank wird geöffnet…",
    bankSlow:
      "Die Seite Ihrer Bank lädt länger als üblich. Sie können warten oder abbrechen und eine andere Karte nehmen.",
    bankTrouble:
      "Klappt etwas nicht? Wenn die Seite leer bleibt oder kein Code kommt, brechen Sie ab und nehmen Sie eine andere Karte.",
    bankConfirming: "Warten auf die Antwort Ihrer Bank…",
    decoupledTitle: "In der App Ihrer Bank freigeben",
    decoupledText:
      "Öffnen Sie die App Ihrer Bank und geben Sie den Vorgang dort frei. Danach geht es hier automatisch weiter.",
    cancel: "Abbrechen",
    cancelQuestion: "Abbrechen?",
    cancelNo: "Weitermachen",
    cancelYes: "Ja, abbrechen",
    canceling: "Wird abgebrochen…",
  },
  choices: {
    shipping: "Versand",
    promotionCode: "Gutscheincode",
    applyCode: "Einlösen",
    checkingCode: "Wird geprüft…",
    codeAccepted: "Code eingelöst.",
    codeRejected: {
      invalid: "Dieser Code ist ungültig.",
      expired: "Dieser Code ist abgelaufen.",
      not_applicable: "Dieser Code gilt nicht für diese Bestellung.",
    },
    codeMissing: "Geben Sie einen Code ein.",
    codesUsedUp: "Sie haben zu viele Codes eingegeben. Sie können ohne weiteren Code fortfahren.",
    codeNotChecked: "Der Code konnte nicht geprüft werden. Versuchen Sie es noch einmal.",
    notChosen: "Die Versandart konnte nicht geändert werden. Versuchen Sie es noch einmal.",
  },
} satisfies Language;
