/** Dutch. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Veilig betalen",
    cardNumber: "Kaartnummer",
    expiry: "Vervaldatum",
    expiryPlaceholder: "MM / JJ",
    cvc: "CVC-code",
    pay: "Betalen",
    encrypted: "Versleuteld op dit apparaat",
    test: "TEST",
    unreachable: [
      "Geen verbinding",
      "De betaaldienst is niet bereikbaar. Er is niets verzonden. Controleer uw verbinding en probeer het opnieuw.",
    ],
    retry: "Opnieuw proberen",
    needsScript: "Zet JavaScript aan om hier te betalen.",
  },
  form: {
    savingTitle: "Kaart opslaan",
    name: "Naam op de kaart",
    email: "E-mailadres",
    postalCode: "Postcode",
    networkChoice: "Betalen met: {networks}",
    orderDetails: "Uw bestelling",
    total: "Totaal",
    payAmount: "Betaal {amount}",
    save: "Kaart opslaan",
    alsoSaved: "{merchant} bewaart deze kaart voor latere betalingen.",
    onlySaved: "Er wordt nu niets afgeschreven. {merchant} bewaart deze kaart voor latere betalingen.",
    backTo: "Terug naar {merchant}",
    invalid: [
      "Ga terug naar de winkel",
      "U kunt niet rechtstreeks op deze pagina betalen. Begin opnieuw bij het afrekenen in de winkel.",
    ],
    unsupported: [
      "Deze browser is te oud",
      "Werk uw browser bij of open de winkel in een andere om veilig te betalen.",
    ],
    sandboxed: [
      "Dit formulier werkt hier niet",
      "Een beveiligingsinstelling van deze website blokkeert het. Er is niets verzonden. Neem contact op met de winkel.",
    ],
    problems: {
      numberMissing: "Vul uw kaartnummer in.",
      numberIncomplete: "Dit kaartnummer is te kort.",
      numberWrong: "Controleer het kaartnummer: er lijkt een cijfer niet te kloppen.",
      expiryMissing: "Vul de vervaldatum in.",
      expiryIncomplete: "Vul maand en jaar in, bijvoorbeeld 04 / 29.",
      expiryPast: "Deze kaart is verlopen.",
      expiryFar: "Controleer het jaar.",
      cvcMissing: "Vul de CVC-code in.",
      cvcIncomplete3: "De code heeft 3 cijfers en staat op de achterkant van de kaart.",
      cvcIncomplete4: "De code heeft 4 cijfers en staat op de voorkant van de kaart.",
      nameMissing: "Vul de naam in die op de kaart staat.",
      nameWrong: "Controleer de naam.",
      emailMissing: "Vul uw e-mailadres in.",
      emailWrong: "Controleer het e-mailadres (bijvoorbeeld naam@example.com).",
      postalCodeMissing: "Vul uw postcode in.",
      postalCodeWrong: "Controleer de postcode.",
    },
    steps: {
      submitting: "Wordt verzonden…",
      authenticating: "Controle bij uw bank…",
      confirming: "Wordt bevestigd…",
      reconnecting: "Verbinding wordt hersteld…",
    },
    notices: {
      connectionLost: {
        paying: "De verbinding is verbroken. We gaan na of uw betaling is gelukt. Betaal nog niet opnieuw.",
        saving: "De verbinding is verbroken. We gaan na of uw kaart is opgeslagen. Verstuur de kaart nog niet opnieuw.",
      },
      notStarted: "De verbinding is verbroken. {outcome} U kunt het opnieuw proberen.",
      orderChanged: "Uw bestelling is gewijzigd. {outcome} Controleer het totaal voordat u betaalt.",
      rateLimited: "Te veel pogingen in korte tijd. {outcome} Wacht een minuut en probeer het opnieuw.",
      notAccepted: "De kaart kon niet worden verzonden. {outcome} Probeer het opnieuw.",
      testCardsOnly: "Dit is de testmodus: gebruik een van de testkaarten. {outcome}",
      wiped: "Voor uw veiligheid zijn uw kaartgegevens na tien minuten gewist.",
    },
    outcomes: { paying: "Er is niets afgeschreven.", saving: "Uw kaart is niet opgeslagen." },
    results: {
      succeeded: {
        paying: ["Betaling gelukt", "Bedankt."],
        saving: ["Kaart opgeslagen", "Er is niets afgeschreven."],
      },
      requires_confirmation: ["Kaart geaccepteerd", "De winkel rondt uw bestelling af."],
      processing: {
        paying: [
          "Nog niet bevestigd",
          "Uw bank heeft nog niet geantwoord. Betaal niet opnieuw: het resultaat verschijnt op deze pagina.",
        ],
        saving: [
          "Nog niet bevestigd",
          "Uw bank heeft nog niet geantwoord. Vul uw kaartgegevens niet opnieuw in: het resultaat verschijnt op deze pagina.",
        ],
      },
      unknown: {
        paying: [
          "We weten het nog niet",
          "De verbinding is tijdens het betalen verbroken. Betaal niet opnieuw voordat deze pagina het resultaat heeft gecontroleerd.",
        ],
        saving: [
          "We weten het nog niet",
          "De verbinding is tijdens het opslaan van uw kaart verbroken. Begin niet opnieuw voordat deze pagina het resultaat heeft gecontroleerd.",
        ],
      },
    },
    checkAgain: "Opnieuw controleren",
    continueTo: "Verder naar {merchant}",
    takingYouBack: "U gaat terug naar {merchant}…",
  },
  after: {
    declined: {
      declined: "Deze kaart is geweigerd. {outcome} Controleer de gegevens of gebruik een andere kaart.",
      insufficient_funds:
        "Het saldo of de limiet van deze kaart is niet toereikend. {outcome} Probeer een andere kaart.",
      expired_card: "Deze kaart is verlopen. {outcome} Probeer een andere kaart.",
      check_card: "Uw bank heeft deze gegevens niet geaccepteerd. {outcome} Controleer ze en probeer het opnieuw.",
      authentication_failed:
        "Uw bank kon niet bevestigen dat u het bent. {outcome} Probeer het opnieuw of gebruik een andere kaart.",
      authentication_canceled: "U hebt geannuleerd. {outcome}",
      authentication_timed_out: "De controle van uw bank duurde te lang. {outcome} Probeer het opnieuw.",
      duplicate:
        "Er is zojuist een identieke betaling gedaan, die mogelijk is gelukt. Vraag het na bij de winkel of uw bank voordat u opnieuw betaalt.",
      try_again: "De transactie kon nu niet worden verwerkt. {outcome} Probeer het zo meteen opnieuw.",
    },
    attemptsLeft: { one: "U kunt het nog {count} keer proberen.", other: "U kunt het nog {count} keer proberen." },
    results: {
      expired: [
        "Deze pagina is verlopen",
        "Uw sessie is verlopen. {outcome} Ga terug naar de winkel om opnieuw te beginnen.",
      ],
      canceled: ["Geannuleerd door de winkel", "{outcome} Ga terug naar de winkel om opnieuw te beginnen."],
      ended: ["Geen pogingen meer", "{outcome} Ga terug naar de winkel om opnieuw te beginnen."],
    },
    confirmTitle: { paying: "Controleer voordat u betaalt", saving: "Controleer voordat u opslaat" },
    confirmText: {
      paying:
        "We konden niet vaststellen of dit formulier helemaal zichtbaar is. Controleer of de winkel en het bedrag kloppen.",
      saving:
        "We konden niet vaststellen of dit formulier helemaal zichtbaar is. Controleer of dit de juiste winkel is.",
    },
    confirmPay: "Ja, betaal {amount}",
    confirmSave: "Ja, kaart opslaan",
    confirmBack: "Terug",
    tax: "Belasting",
    expiring: "Deze pagina verloopt bijna. Resterende tijd: {time}",
    receiptAmount: "Bedrag",
    receiptDate: "Datum",
    receiptReference: "Referentie",
    bankTitle: "Bevestig bij uw bank",
    bankFrame: "Pagina van uw bank",
    bankOpened: "Uw bank wil controleren of u het bent.",
    bankOpening: "De pagina van uw bank wordt geopend…",
    bankSlow: "De pagina van uw bank laat op zich wachten. U kunt wachten, of annuleren en een andere kaart gebruiken.",
    bankTrouble: "Lukt het niet? Blijft de pagina leeg of komt er geen code, annuleer dan en probeer een andere kaart.",
    bankConfirming: "Wachten op antwoord van uw bank…",
    decoupledTitle: "Goedkeuren in de app van uw bank",
    decoupledText: "Open de app van uw bank en geef daar uw goedkeuring. Deze pagina gaat vanzelf verder.",
    cancel: "Annuleren",
    cancelQuestion: "Annuleren?",
    cancelNo: "Doorgaan",
    cancelYes: "Ja, annuleren",
    canceling: "Wordt geannuleerd…",
  },
} satisfies Language;
