/** German. */
import type { Occasion, WholeTexts } from "./texts.ts";

/** A payment and a card that is only saved fail alike; `outcome` says what has not happened. */
const declined = (outcome: string): Occasion["declined"] => ({
  declined: `Ihre Bank hat diese Karte abgelehnt. ${outcome} Nehmen Sie eine andere Karte oder fragen Sie Ihre Bank.`,
  insufficient_funds: `Auf dieser Karte ist nicht genug Guthaben. ${outcome} Nehmen Sie eine andere Karte.`,
  expired_card: `Diese Karte ist abgelaufen. ${outcome} Nehmen Sie eine andere Karte.`,
  check_card: `Ihre Bank hat diese Kartendaten nicht angenommen. ${outcome} Prüfen Sie die Angaben und versuchen Sie es noch einmal.`,
  authentication_failed: `Ihre Bank konnte nicht bestätigen, dass Sie es sind. ${outcome} Versuchen Sie es noch einmal oder nehmen Sie eine andere Karte.`,
  authentication_canceled: `Sie haben abgebrochen. ${outcome}`,
  authentication_timed_out: `Die Prüfung Ihrer Bank hat zu lange gedauert. ${outcome} Versuchen Sie es noch einmal.`,
  try_again: `Ihre Bank war gerade nicht zu erreichen. ${outcome} Versuchen Sie es gleich noch einmal.`,
});
const notices = (outcome: string) => ({
  notStarted: `Die Verbindung ist abgebrochen. ${outcome} Sie können es noch einmal versuchen.`,
  rateLimited: `Zu viele Versuche in kurzer Zeit. ${outcome} Warten Sie eine Minute und versuchen Sie es dann noch einmal.`,
  notAccepted: `Die Karte konnte nicht gesendet werden. ${outcome} Versuchen Sie es noch einmal.`,
  testCardsOnly: `Dies ist der Testmodus: Nehmen Sie eine der Testkarten. ${outcome}`,
  wiped: "Zu Ihrer Sicherheit wurden Ihre Kartendaten nach zehn Minuten gelöscht.",
});
const results = (outcome: string) =>
  ({
    requires_confirmation: ["Karte angenommen", "Der Shop schließt Ihre Bestellung ab."],
    expired: ["Diese Seite ist abgelaufen", `Die Zeit dafür ist um. ${outcome} Gehen Sie zurück zum Shop, um neu zu beginnen.`],
    canceled: ["Der Shop hat dies beendet", `${outcome} Gehen Sie zurück zum Shop, um neu zu beginnen.`],
    ended: ["Keine weiteren Versuche", `${outcome} Gehen Sie zurück zum Shop, um neu zu beginnen.`],
  }) satisfies Partial<Occasion["results"]>;
const notPaid = "Es wurde nichts abgebucht.";
const notSaved = "Ihre Karte wurde nicht gespeichert.";

const texts: WholeTexts = {
  language: "de",
  direction: "ltr",
  amounts: "de",

  early: {
    invalid: [
      "Zurück zum Shop",
      "Diese Seite kann allein keine Zahlung annehmen. Beginnen Sie noch einmal an der Kasse des Shops.",
    ],
    unreachable: [
      "Keine Verbindung",
      "Der Zahlungsdienst ist nicht erreichbar. Es wurde nichts gesendet. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    ],
    unsupported: [
      "Dieser Browser ist zu alt",
      "Aktualisieren Sie Ihren Browser oder öffnen Sie den Shop in einem anderen, um sicher zu bezahlen.",
    ],
  },
  retry: "Noch einmal versuchen",

  cardNumber: "Kartennummer",
  expiry: "Gültig bis",
  expiryPlaceholder: "MM / JJ",
  cvc: "Prüfnummer",
  name: "Name auf der Karte",
  email: "E-Mail",
  postalCode: "Postleitzahl",
  pay: "Bezahlen",
  payAmount: (amount) => `${amount} bezahlen`,
  save: "Karte speichern",
  keptToo: (merchant) => `${merchant} speichert diese Karte für spätere Zahlungen.`,
  keptOnly: (merchant) => `Jetzt wird nichts abgebucht. ${merchant} speichert diese Karte für spätere Zahlungen.`,
  encrypted: "Auf diesem Gerät verschlüsselt",
  test: "TESTMODUS",
  testCards: "Testkarten",
  testCardsHint: "Es fließt kein Geld. Wählen Sie eine Karte, um das Formular auszufüllen.",
  testCardOutcomes: {
    approved: "Genehmigt",
    declined: "Abgelehnt",
    insufficient_funds: "Nicht genug Guthaben",
    frictionless: "Genehmigt, ohne Code",
    challenge: "Bank fragt nach einem Code",
  },
  backTo: (merchant) => `Zurück zu ${merchant}`,
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
    emailMissing: "Geben Sie Ihre E-Mail-Adresse ein.",
    emailWrong: "Prüfen Sie die E-Mail-Adresse, zum Beispiel name@example.com.",
    postalCodeMissing: "Geben Sie Ihre Postleitzahl ein.",
  },

  steps: {
    submitting: "Wird gesendet…",
    authenticating: "Ihre Bank prüft…",
    confirming: "Wird bestätigt…",
    reconnecting: "Verbindung wird hergestellt…",
  },
  paying: {
    title: "Sichere Zahlung",
    declined: declined(notPaid),
    notices: {
      ...notices(notPaid),
      connectionLost:
        "Die Verbindung ist abgebrochen. Wir sehen nach, ob Ihre Zahlung angekommen ist. Bezahlen Sie noch nicht ein zweites Mal.",
    },
    results: {
      ...results(notPaid),
      succeeded: ["Zahlung abgeschlossen", "Vielen Dank."],
      processing: [
        "Noch nicht bestätigt",
        "Ihre Bank hat noch nicht geantwortet. Bezahlen Sie nicht noch einmal: Diese Seite sagt Ihnen, wie es ausgeht.",
      ],
      unknown: [
        "Wir wissen es noch nicht",
        "Die Verbindung ist während der Zahlung abgebrochen. Bezahlen Sie nicht noch einmal, bevor diese Seite nachgesehen hat.",
      ],
    },
  },
  saving: {
    title: "Karte speichern",
    declined: declined(notSaved),
    notices: {
      ...notices(notSaved),
      connectionLost:
        "Die Verbindung ist abgebrochen. Wir sehen nach, ob Ihre Karte gespeichert wurde. Senden Sie sie noch nicht ein zweites Mal.",
    },
    results: {
      ...results(notSaved),
      succeeded: ["Karte gespeichert", "Es wurde nichts abgebucht."],
      processing: [
        "Noch nicht bestätigt",
        "Ihre Bank hat noch nicht geantwortet. Geben Sie die Karte nicht noch einmal ein: Diese Seite sagt Ihnen, wie es ausgeht.",
      ],
      unknown: [
        "Wir wissen es noch nicht",
        "Die Verbindung ist beim Speichern Ihrer Karte abgebrochen. Beginnen Sie nicht von vorn, bevor diese Seite nachgesehen hat.",
      ],
    },
  },
  lookUpAgain: "Noch einmal nachsehen",
  continueTo: (merchant) => `Weiter zu ${merchant}`,
  takingYouBack: (merchant) => `Sie werden zu ${merchant} zurückgebracht…`,

  bankTitle: "Bei Ihrer Bank bestätigen",
  bankFrame: "Seite Ihrer Bank",
  bankOpened: "Ihre Bank möchte bestätigen, dass Sie es sind.",
  bankOpening: "Die Seite Ihrer Bank wird geöffnet…",
  bankSlow: "Die Seite Ihrer Bank braucht länger. Sie können warten oder abbrechen und eine andere Karte nehmen.",
  bankTrouble:
    "Klappt etwas nicht? Wenn die Seite leer bleibt oder kein Code kommt, brechen Sie ab und nehmen Sie eine andere Karte.",
  bankConfirming: "Warten auf die Antwort Ihrer Bank…",
  cancel: "Abbrechen",
  cancelQuestion: "Abbrechen?",
  cancelNo: "Weitermachen",
  cancelYes: "Ja, abbrechen",
  canceling: "Wird abgebrochen…",
};

export default texts;
