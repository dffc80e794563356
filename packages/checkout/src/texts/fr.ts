/** French. */
import type { Occasion, WholeTexts } from "./texts.ts";

/** A payment and a card that is only saved fail alike; `outcome` says what has not happened. */
const declined = (outcome: string): Occasion["declined"] => ({
  declined: `Votre banque a refusé cette carte. ${outcome} Essayez une autre carte ou contactez votre banque.`,
  insufficient_funds: `Il n’y a pas assez d’argent sur cette carte. ${outcome} Essayez une autre carte.`,
  expired_card: `Cette carte a expiré. ${outcome} Essayez une autre carte.`,
  check_card: `Votre banque n’a pas accepté ces données de carte. ${outcome} Vérifiez-les et réessayez.`,
  authentication_failed: `Votre banque n’a pas pu confirmer que c’est bien vous. ${outcome} Réessayez, ou utilisez une autre carte.`,
  authentication_canceled: `Vous avez annulé. ${outcome}`,
  authentication_timed_out: `La vérification de votre banque a duré trop longtemps. ${outcome} Réessayez.`,
  try_again: `Votre banque est injoignable pour l’instant. ${outcome} Réessayez dans un moment.`,
});
const notices = (outcome: string) => ({
  notStarted: `La connexion a été coupée. ${outcome} Vous pouvez réessayer.`,
  rateLimited: `Trop d’essais en peu de temps. ${outcome} Attendez une minute, puis réessayez.`,
  notAccepted: `La carte n’a pas pu être envoyée. ${outcome} Réessayez.`,
  testCardsOnly: `Vous êtes en mode test : utilisez une des cartes de test. ${outcome}`,
  wiped: "Pour votre sécurité, les données de votre carte ont été effacées après dix minutes.",
});
const results = (outcome: string) =>
  ({
    requires_confirmation: ["Carte acceptée", "La boutique termine votre commande."],
    expired: ["Cette page a expiré", `Le temps est écoulé. ${outcome} Retournez à la boutique pour recommencer.`],
    canceled: ["La boutique a annulé", `${outcome} Retournez à la boutique pour recommencer.`],
    ended: ["Plus d’essais possibles", `${outcome} Retournez à la boutique pour recommencer.`],
  }) satisfies Partial<Occasion["results"]>;
const notPaid = "Vous n’avez pas été débité.";
const notSaved = "Votre carte n’a pas été enregistrée.";

const texts: WholeTexts = {
  language: "fr",
  direction: "ltr",
  amounts: "fr",

  early: {
    invalid: [
      "Retournez à la boutique",
      "Cette page ne peut pas recevoir de paiement à elle seule. Recommencez depuis le panier de la boutique.",
    ],
    unreachable: [
      "Pas de connexion",
      "Le service de paiement est injoignable. Rien n’a été envoyé. Vérifiez votre connexion et réessayez.",
    ],
    unsupported: [
      "Ce navigateur est trop ancien",
      "Mettez votre navigateur à jour, ou ouvrez la boutique dans un autre, pour payer en sécurité.",
    ],
  },
  retry: "Réessayer",

  cardNumber: "Numéro de carte",
  expiry: "Expiration",
  expiryPlaceholder: "MM / AA",
  cvc: "Cryptogramme",
  name: "Nom sur la carte",
  email: "E-mail",
  postalCode: "Code postal",
  pay: "Payer",
  payAmount: (amount) => `Payer ${amount}`,
  save: "Enregistrer la carte",
  keptToo: (merchant) => `${merchant} conserve cette carte pour de prochains paiements.`,
  keptOnly: (merchant) => `Rien n’est débité maintenant. ${merchant} conserve cette carte pour de prochains paiements.`,
  encrypted: "Chiffré sur cet appareil",
  test: "MODE TEST",
  testCards: "Cartes de test",
  testCardsHint: "Aucun argent ne circule. Choisissez une carte pour remplir le formulaire.",
  testCardOutcomes: {
    approved: "Acceptée",
    declined: "Refusée",
    insufficient_funds: "Provision insuffisante",
    frictionless: "Acceptée, sans code",
    challenge: "La banque demande un code",
  },
  backTo: (merchant) => `Retour à ${merchant}`,
  problems: {
    numberMissing: "Saisissez le numéro de votre carte.",
    numberIncomplete: "Ce numéro de carte est trop court.",
    numberWrong: "Vérifiez le numéro de carte : un chiffre semble faux.",
    expiryMissing: "Saisissez la date d’expiration.",
    expiryIncomplete: "Saisissez le mois et l’année, par exemple 04 / 29.",
    expiryPast: "Cette carte a expiré.",
    expiryFar: "Vérifiez l’année.",
    cvcMissing: "Saisissez le cryptogramme.",
    cvcIncomplete3: "Le cryptogramme a 3 chiffres, au dos de la carte.",
    cvcIncomplete4: "Le cryptogramme a 4 chiffres, sur le devant de la carte.",
    nameMissing: "Saisissez le nom inscrit sur la carte.",
    emailMissing: "Saisissez votre adresse e-mail.",
    emailWrong: "Vérifiez l’adresse e-mail, par exemple nom@example.com.",
    postalCodeMissing: "Saisissez votre code postal.",
  },

  steps: {
    submitting: "Envoi…",
    authenticating: "Vérification par votre banque…",
    confirming: "Confirmation…",
    reconnecting: "Reconnexion…",
  },
  paying: {
    title: "Paiement sécurisé",
    declined: declined(notPaid),
    notices: {
      ...notices(notPaid),
      connectionLost:
        "La connexion a été coupée. Nous vérifions si votre paiement est passé. Ne payez pas encore une seconde fois.",
    },
    results: {
      ...results(notPaid),
      succeeded: ["Paiement effectué", "Merci."],
      processing: [
        "Confirmation en cours",
        "Votre banque n’a pas encore répondu. Ne payez pas à nouveau : cette page vous dira comment cela se termine.",
      ],
      unknown: [
        "Nous ne le savons pas encore",
        "La connexion a été coupée pendant le paiement. Ne payez pas à nouveau avant que cette page ait vérifié.",
      ],
    },
  },
  saving: {
    title: "Enregistrer une carte",
    declined: declined(notSaved),
    notices: {
      ...notices(notSaved),
      connectionLost:
        "La connexion a été coupée. Nous vérifions si votre carte a été enregistrée. Ne l’envoyez pas encore une seconde fois.",
    },
    results: {
      ...results(notSaved),
      succeeded: ["Carte enregistrée", "Rien n’a été débité."],
      processing: [
        "Confirmation en cours",
        "Votre banque n’a pas encore répondu. Ne saisissez pas la carte à nouveau : cette page vous dira comment cela se termine.",
      ],
      unknown: [
        "Nous ne le savons pas encore",
        "La connexion a été coupée pendant l’enregistrement de votre carte. Ne recommencez pas avant que cette page ait vérifié.",
      ],
    },
  },
  lookUpAgain: "Vérifier à nouveau",
  continueTo: (merchant) => `Continuer vers ${merchant}`,
  takingYouBack: (merchant) => `Retour vers ${merchant}…`,

  bankTitle: "Confirmez auprès de votre banque",
  bankFrame: "Page de votre banque",
  bankOpened: "Votre banque veut confirmer que c’est bien vous.",
  bankOpening: "Ouverture de la page de votre banque…",
  bankSlow: "La page de votre banque tarde. Vous pouvez attendre, ou annuler et utiliser une autre carte.",
  bankTrouble: "Un problème ? Si la page reste vide ou si aucun code n’arrive, annulez et essayez une autre carte.",
  bankConfirming: "En attente de la réponse de votre banque…",
  cancel: "Annuler",
  cancelQuestion: "Annuler ?",
  cancelNo: "Continuer",
  cancelYes: "Oui, annuler",
  canceling: "Annulation…",
};

export default texts;
