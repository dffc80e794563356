/** Catalan. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Pagament segur",
    cardNumber: "Número de targeta",
    expiry: "Caducitat",
    expiryPlaceholder: "MM / AA",
    cvc: "Codi CVC",
    pay: "Paga",
    encrypted: "Xifrat en aquest dispositiu",
    test: "PROVA",
    unreachable: [
      "Sense connexió",
      "No hem pogut contactar amb el servei de pagament. No s’ha enviat res. Comproveu la connexió i torneu-ho a provar.",
    ],
    retry: "Torna-ho a provar",
    needsScript: "Activeu JavaScript per pagar aquí.",
  },
  form: {
    savingTitle: "Desar una targeta",
    name: "Nom a la targeta",
    email: "Correu electrònic",
    postalCode: "Codi postal",
    networkChoice: "Paga amb: {networks}",
    orderDetails: "Detalls de la comanda",
    total: "Total",
    payAmount: "Paga {amount}",
    save: "Desa la targeta",
    alsoSaved: "{merchant} desarà aquesta targeta per a pagaments futurs.",
    onlySaved: "Ara no es cobra res. {merchant} desarà aquesta targeta per a pagaments futurs.",
    backTo: "Torna a {merchant}",
    invalid: [
      "Torneu a la botiga",
      "No es pot pagar directament des d’aquesta pàgina. Torneu a començar des de la cistella de la botiga.",
    ],
    unsupported: [
      "Aquest navegador és massa antic",
      "Actualitzeu el navegador, o obriu la botiga en un altre, per pagar amb seguretat.",
    ],
    sandboxed: [
      "Aquest formulari no es pot fer servir aquí",
      "El bloqueja una opció de seguretat d’aquest lloc web. No s’ha enviat res. Poseu-vos en contacte amb la botiga.",
    ],
    problems: {
      numberMissing: "Introduïu el número de la targeta.",
      numberIncomplete: "Aquest número de targeta és massa curt.",
      numberWrong: "Reviseu el número de la targeta: sembla que hi ha una xifra equivocada.",
      expiryMissing: "Introduïu la data de caducitat.",
      expiryIncomplete: "Introduïu el mes i l’any, per exemple 04 / 29.",
      expiryPast: "Aquesta targeta ha caducat.",
      expiryFar: "Reviseu l’any.",
      cvcMissing: "Introduïu el codi de seguretat.",
      cvcIncomplete3: "El codi té 3 xifres i és al dors de la targeta.",
      cvcIncomplete4: "El codi té 4 xifres i és a la cara frontal de la targeta.",
      nameMissing: "Introduïu el nom que consta a la targeta.",
      nameWrong: "Reviseu el nom.",
      emailMissing: "Introduïu la vostra adreça electrònica.",
      emailWrong: "Reviseu l’adreça electrònica (per exemple nom@example.com).",
      postalCodeMissing: "Introduïu el codi postal.",
      postalCodeWrong: "Reviseu el codi postal.",
    },
    steps: {
      submitting: "S’està enviant…",
      authenticating: "El banc ho està comprovant…",
      confirming: "S’està confirmant…",
      reconnecting: "S’està tornant a connectar…",
    },
    notices: {
      connectionLost: {
        paying: "S’ha perdut la connexió. Estem comprovant si el pagament s’ha fet. De moment no torneu a pagar.",
        saving: "S’ha perdut la connexió. Estem comprovant si la targeta s’ha desat. De moment no la torneu a enviar.",
      },
      notStarted: "S’ha perdut la connexió. {outcome} Ho podeu tornar a provar.",
      rateLimited: "Massa intents en poc temps. {outcome} Espereu un minut i torneu-ho a provar.",
      notAccepted: "No s’ha pogut enviar la targeta. {outcome} Torneu-ho a provar.",
      testCardsOnly: "Sou en mode de prova: feu servir una de les targetes de prova. {outcome}",
      wiped: "Per seguretat, les dades de la targeta s’han esborrat al cap de deu minuts.",
    },
    outcomes: { paying: "No se us ha cobrat res.", saving: "La targeta no s’ha desat." },
    results: {
      succeeded: { paying: ["Pagament fet", "Gràcies."], saving: ["Targeta desada", "No s’ha cobrat res."] },
      requires_confirmation: ["Targeta acceptada", "La botiga està acabant la comanda."],
      processing: {
        paying: [
          "Encara sense confirmar",
          "El banc encara no ha respost. No torneu a pagar: el resultat apareixerà en aquesta pàgina.",
        ],
        saving: [
          "Encara sense confirmar",
          "El banc encara no ha respost. No torneu a introduir la targeta: el resultat apareixerà en aquesta pàgina.",
        ],
      },
      unknown: {
        paying: [
          "Encara no ho sabem",
          "S’ha perdut la connexió mentre pagàveu. No torneu a pagar fins que aquesta pàgina ho hagi comprovat.",
        ],
        saving: [
          "Encara no ho sabem",
          "S’ha perdut la connexió mentre es desava la targeta. No torneu a començar fins que aquesta pàgina ho hagi comprovat.",
        ],
      },
    },
    checkAgain: "Torna-ho a comprovar",
    continueTo: "Continua a {merchant}",
    takingYouBack: "Tornant a {merchant}…",
  },
  after: {
    declined: {
      declined: "Aquesta targeta ha estat rebutjada. {outcome} Reviseu les dades o feu servir una altra targeta.",
      insufficient_funds: "Aquesta targeta no té prou fons. {outcome} Proveu amb una altra targeta.",
      expired_card: "Aquesta targeta ha caducat. {outcome} Proveu amb una altra targeta.",
      check_card: "El banc no ha acceptat aquestes dades. {outcome} Reviseu-les i torneu-ho a provar.",
      authentication_failed:
        "El banc no ha pogut confirmar la vostra identitat. {outcome} Torneu-ho a provar o feu servir una altra targeta.",
      authentication_canceled: "Ho heu cancel·lat. {outcome}",
      authentication_timed_out: "La comprovació del banc ha trigat massa. {outcome} Torneu-ho a provar.",
      duplicate:
        "S’acaba de fer un pagament idèntic i és possible que s’hagi cobrat. Comproveu-ho amb la botiga o amb el banc abans de tornar a pagar.",
      try_again:
        "En aquest moment no s’ha pogut processar l’operació. {outcome} Torneu-ho a provar d’aquí a una estona.",
    },
    attemptsLeft: {
      one: "Ho podeu provar {count} vegada més.",
      many: "Ho podeu provar {count} vegades més.",
      other: "Ho podeu provar {count} vegades més.",
    },
    results: {
      expired: ["Aquesta pàgina ha caducat", "S’ha acabat el temps. {outcome} Torneu a la botiga per començar de nou."],
      canceled: ["Cancel·lat per la botiga", "{outcome} Torneu a la botiga per començar de nou."],
      ended: ["No queden intents", "{outcome} Torneu a la botiga per començar de nou."],
    },
    confirmTitle: { paying: "Comproveu-ho abans de pagar", saving: "Comproveu-ho abans de desar la targeta" },
    confirmText: {
      paying:
        "No hem pogut comprovar que aquest formulari es vegi sencer. Assegureu-vos que la botiga i l’import són correctes.",
      saving: "No hem pogut comprovar que aquest formulari es vegi sencer. Assegureu-vos que la botiga és la correcta.",
    },
    confirmPay: "Sí, paga {amount}",
    confirmSave: "Sí, desa la targeta",
    confirmBack: "Enrere",
    expiring: "Aquesta pàgina està a punt de caducar. Temps restant: {time}",
    receiptAmount: "Import",
    receiptDate: "Data",
    receiptReference: "Referència",
    bankTitle: "Confirmeu-ho amb el banc",
    bankFrame: "Pàgina del vostre banc",
    bankOpened: "El banc vol confirmar que sou vós.",
    bankOpening: "S’està obrint la pàgina del banc…",
    bankSlow: "La pàgina del banc triga. Podeu esperar, o cancel·lar i fer servir una altra targeta.",
    bankTrouble:
      "Teniu cap problema? Si la pàgina continua en blanc o no arriba cap codi, cancel·leu i proveu amb una altra targeta.",
    bankConfirming: "S’està esperant la resposta del banc…",
    decoupledTitle: "Autoritzeu-ho a l’aplicació del banc",
    decoupledText: "Obriu l’aplicació del banc i autoritzeu-hi l’operació. Aquesta pàgina continuarà sola.",
    cancel: "Cancel·la",
    cancelQuestion: "Voleu cancel·lar?",
    cancelNo: "Continua",
    cancelYes: "Sí, cancel·la",
    canceling: "S’està cancel·lant…",
  },
} satisfies Language;
