/** Italian. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Pagamento sicuro",
    cardNumber: "Numero della carta",
    expiry: "Scadenza",
    expiryPlaceholder: "MM / AA",
    cvc: "Codice CVV",
    pay: "Paga",
    encrypted: "Crittografato su questo dispositivo",
    test: "TEST",
    unreachable: [
      "Nessuna connessione",
      "Il servizio di pagamento non è raggiungibile. Non è stato inviato nulla. Controlli la connessione e riprovi.",
    ],
    retry: "Riprova",
    needsScript: "Attivi JavaScript per pagare qui.",
  },
  form: {
    savingTitle: "Salva una carta",
    name: "Nome sulla carta",
    email: "Email",
    postalCode: "CAP",
    networkChoice: "Paga con: {networks}",
    orderDetails: "Dettagli dell’ordine",
    total: "Totale",
    payAmount: "Paga {amount}",
    placeOrder: "Effettua l’ordine",
    save: "Salva la carta",
    alsoSaved: "{merchant} salverà questa carta per i prossimi pagamenti.",
    onlySaved: "Ora non viene addebitato nulla. {merchant} salverà questa carta per i prossimi pagamenti.",
    backTo: "Torna a {merchant}",
    invalid: [
      "Torni al negozio",
      "Non è possibile pagare direttamente da questa pagina. Ricominci dal carrello del negozio.",
    ],
    unsupported: [
      "Questo browser è troppo vecchio",
      "Per pagare in sicurezza aggiorni il browser o apra il negozio in un altro.",
    ],
    sandboxed: [
      "Questo modulo non può essere usato qui",
      "Un’impostazione di sicurezza di questo sito lo blocca. Non è stato inviato nulla. Contatti il negozio.",
    ],
    problems: {
      numberMissing: "Inserisca il numero della carta.",
      numberIncomplete: "Il numero della carta è troppo corto.",
      numberWrong: "Controlli il numero della carta: una cifra sembra sbagliata.",
      expiryMissing: "Inserisca la data di scadenza.",
      expiryIncomplete: "Inserisca mese e anno, per esempio 04 / 29.",
      expiryPast: "Questa carta è scaduta.",
      expiryFar: "Controlli l’anno.",
      cvcMissing: "Inserisca il codice di sicurezza.",
      cvcIncomplete3: "Il codice ha 3 cifre e si trova sul retro della carta.",
      cvcIncomplete4: "Il codice ha 4 cifre e si trova sul fronte della carta.",
      nameMissing: "Inserisca il nome riportato sulla carta.",
      nameWrong: "Controlli il nome.",
      emailMissing: "Inserisca il suo indirizzo email.",
      emailWrong: "Controlli l’indirizzo email (per esempio nome@example.com).",
      postalCodeMissing: "Inserisca il CAP.",
      postalCodeWrong: "Controlli il CAP.",
    },
    steps: {
      submitting: "Invio in corso…",
      authenticating: "Verifica della sua banca…",
      confirming: "Conferma in corso…",
      reconnecting: "Riconnessione in corso…",
    },
    notices: {
      connectionLost: {
        paying:
          "La connessione si è interrotta. Stiamo verificando se il pagamento è andato a buon fine. Per ora non paghi di nuovo.",
        saving:
          "La connessione si è interrotta. Stiamo verificando se la carta è stata salvata. Per ora non la invii di nuovo.",
      },
      notStarted: "La connessione si è interrotta. {outcome} Può riprovare.",
      orderChanged: "Il suo ordine è cambiato. {outcome} Controlli il totale prima di pagare.",
      rateLimited: "Troppi tentativi in poco tempo. {outcome} Attenda un minuto, poi riprovi.",
      notAccepted: "Non è stato possibile inviare la carta. {outcome} Riprovi.",
      testCardsOnly: "Questa è la modalità di prova: usi una delle carte di prova. {outcome}",
      wiped: "Per la sua sicurezza, i dati della carta sono stati cancellati dopo dieci minuti.",
    },
    outcomes: { paying: "Non le è stato addebitato nulla.", saving: "La sua carta non è stata salvata." },
    results: {
      succeeded: {
        paying: ["Pagamento effettuato", "Grazie."],
        saving: ["Carta salvata", "Non è stato addebitato nulla."],
      },
      placed: ["Ordine effettuato", "Grazie."],
      requires_confirmation: ["Carta accettata", "Il negozio sta completando il suo ordine."],
      processing: {
        paying: [
          "In attesa di conferma",
          "La sua banca non ha ancora risposto. Non paghi di nuovo: l’esito apparirà in questa pagina.",
        ],
        saving: [
          "In attesa di conferma",
          "La sua banca non ha ancora risposto. Non inserisca di nuovo la carta: l’esito apparirà in questa pagina.",
        ],
      },
      unknown: {
        paying: [
          "Non conosciamo ancora l’esito",
          "La connessione si è interrotta durante il pagamento. Non paghi di nuovo finché questa pagina non avrà verificato l’esito.",
        ],
        saving: [
          "Non conosciamo ancora l’esito",
          "La connessione si è interrotta mentre la carta veniva salvata. Non ricominci finché questa pagina non avrà verificato l’esito.",
        ],
      },
    },
    checkAgain: "Verifica di nuovo",
    continueTo: "Continua su {merchant}",
    takingYouBack: "Ritorno a {merchant}…",
  },
  after: {
    declined: {
      declined: "Questa carta è stata rifiutata. {outcome} Controlli i dati o usi un’altra carta.",
      insufficient_funds: "I fondi su questa carta non sono sufficienti. {outcome} Provi con un’altra carta.",
      expired_card: "Questa carta è scaduta. {outcome} Provi con un’altra carta.",
      check_card: "La sua banca non ha accettato questi dati. {outcome} Li controlli e riprovi.",
      authentication_failed:
        "La sua banca non ha potuto verificare la sua identità. {outcome} Riprovi o usi un’altra carta.",
      authentication_canceled: "Ha annullato l’operazione. {outcome}",
      authentication_timed_out: "La verifica della sua banca ha richiesto troppo tempo. {outcome} Riprovi.",
      duplicate:
        "Poco fa è stato inviato un pagamento identico, che potrebbe essere andato a buon fine. Verifichi con il negozio o con la banca prima di pagare di nuovo.",
      try_again: "Al momento non è stato possibile elaborare l’operazione. {outcome} Riprovi tra poco.",
    },
    attemptsLeft: {
      one: "Può riprovare ancora {count} volta.",
      many: "Può riprovare ancora {count} volte.",
      other: "Può riprovare ancora {count} volte.",
    },
    results: {
      expired: [
        "Questa pagina è scaduta",
        "Il tempo a disposizione è scaduto. {outcome} Torni al negozio per ricominciare.",
      ],
      canceled: ["Annullato dal negozio", "{outcome} Torni al negozio per ricominciare."],
      ended: ["Tentativi esauriti", "{outcome} Torni al negozio per ricominciare."],
    },
    confirmTitle: { paying: "Verifichi prima di pagare", saving: "Verifichi prima di salvare" },
    confirmText: {
      paying:
        "Non abbiamo potuto verificare che questo modulo sia interamente visibile. Si assicuri che il negozio e l’importo siano giusti.",
      saving:
        "Non abbiamo potuto verificare che questo modulo sia interamente visibile. Si assicuri che il negozio sia quello giusto.",
    },
    confirmPay: "Sì, paga {amount}",
    confirmSave: "Sì, salva la carta",
    confirmBack: "Indietro",
    tax: "Imposte",
    expiring: "Questa pagina sta per scadere. Tempo rimasto: {time}",
    receiptAmount: "Importo",
    receiptDate: "Data",
    receiptReference: "Riferimento",
    bankTitle: "Confermi con la sua banca",
    bankFrame: "Pagina della sua banca",
    bankOpened: "La sua banca vuole verificare che sia lei.",
    bankOpening: "Apertura della pagina della sua banca…",
    bankSlow: "La pagina della sua banca tarda ad aprirsi. Può attendere, oppure annullare e usare un’altra carta.",
    bankTrouble:
      "Qualche problema? Se la pagina resta vuota o non arriva nessun codice, annulli e provi con un’altra carta.",
    bankConfirming: "In attesa della risposta della sua banca…",
    decoupledTitle: "Autorizzi l’operazione nell’app della sua banca",
    decoupledText: "Apra l’app della sua banca e autorizzi l’operazione. Questa pagina proseguirà automaticamente.",
    cancel: "Annulla",
    cancelQuestion: "Vuole annullare?",
    cancelNo: "Continua",
    cancelYes: "Sì, annulla",
    canceling: "Annullamento in corso…",
  },
  choices: {
    shipping: "Spedizione",
    promotionCode: "Codice promozionale",
    applyCode: "Applica",
    checkingCode: "Verifica in corso…",
    codeAccepted: "Codice applicato.",
    codeRejected: {
      invalid: "Questo codice non è valido.",
      expired: "Questo codice è scaduto.",
      not_applicable: "Questo codice non può essere usato per questo ordine.",
    },
    codeMissing: "Inserisca un codice.",
    codesUsedUp: "Ha inserito troppi codici. Può continuare senza un altro codice.",
    codeNotChecked: "Non è stato possibile verificare il codice. Riprovi.",
    notChosen: "Non è stato possibile modificare la spedizione. Riprovi.",
  },
} satisfies Language;
