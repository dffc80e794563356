/** French. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Paiement sécurisé",
    cardNumber: "Numéro de carte",
    expiry: "Expiration",
    expiryPlaceholder: "MM / AA",
    cvc: "Cryptogramme",
    pay: "Payer",
    encrypted: "Chiffré sur cet appareil",
    test: "MODE TEST",
    unreachable: [
      "Pas de connexion",
      "Le service de paiement est injoignable. Rien n’a été envoyé. Vérifiez votre connexion et réessayez.",
    ],
    retry: "Réessayer",
    needsScript: "Activez JavaScript pour payer ici.",
  },
  form: {
    savingTitle: "Enregistrer une carte",
    name: "Nom sur la carte",
    email: "E-mail",
    postalCode: "Code postal",
    networkChoice: "Payer avec\u00a0: {networks}",
    orderDetails: "Détail de la commande",
    total: "Total",
    payAmount: "Payer {amount}",
    placeOrder: "Commander",
    save: "Enregistrer la carte",
    alsoSaved: "{merchant} enregistrera cette carte pour vos prochains paiements.",
    onlySaved: "Rien n’est débité maintenant. {merchant} enregistrera cette carte pour vos prochains paiements.",
    backTo: "Retour à {merchant}",
    invalid: [
      "Retournez à la boutique",
      "Vous ne pouvez pas payer directement depuis cette page. Recommencez depuis le panier de la boutique.",
    ],
    unsupported: [
      "Ce navigateur est trop ancien",
      "Mettez votre navigateur à jour, ou ouvrez la boutique dans un autre, pour payer en sécurité.",
    ],
    sandboxed: [
      "Ce formulaire ne peut pas être utilisé ici",
      "Un réglage de sécurité de ce site le bloque. Rien n’a été envoyé. Contactez la boutique.",
    ],
    problems: {
      numberMissing: "Saisissez le numéro de votre carte.",
      numberIncomplete: "Ce numéro de carte est trop court.",
      numberWrong: "Vérifiez le numéro de carte\u00a0: un chiffre semble incorrect.",
      expiryMissing: "Saisissez la date d’expiration.",
      expiryIncomplete: "Saisissez le mois et l’année, par exemple 04 / 29.",
      expiryPast: "Cette carte a expiré.",
      expiryFar: "Vérifiez l’année.",
      cvcMissing: "Saisissez le cryptogramme.",
      cvcIncomplete3: "Le cryptogramme a 3 chiffres, au dos de la carte.",
      cvcIncomplete4: "Le cryptogramme a 4 chiffres, sur le devant de la carte.",
      nameMissing: "Saisissez le nom inscrit sur la carte.",
      nameWrong: "Vérifiez le nom.",
      emailMissing: "Saisissez votre adresse e-mail.",
      emailWrong: "Vérifiez l’adresse e-mail, par exemple nom@example.com.",
      postalCodeMissing: "Saisissez votre code postal.",
      postalCodeWrong: "Vérifiez le code postal.",
    },
    steps: {
      submitting: "Envoi…",
      authenticating: "Vérification par votre banque…",
      confirming: "Confirmation…",
      reconnecting: "Reconnexion…",
    },
    notices: {
      connectionLost: {
        paying:
          "La connexion a été coupée. Nous vérifions si votre paiement est passé. Ne payez pas à nouveau pour l’instant.",
        saving:
          "La connexion a été coupée. Nous vérifions si votre carte a été enregistrée. Ne l’envoyez pas à nouveau pour l’instant.",
      },
      notStarted: "La connexion a été coupée. {outcome} Vous pouvez réessayer.",
      orderChanged: "Votre commande a changé. {outcome} Vérifiez le total avant de payer.",
      rateLimited: "Trop de tentatives en peu de temps. {outcome} Attendez une minute, puis réessayez.",
      notAccepted: "La carte n’a pas pu être envoyée. {outcome} Réessayez.",
      testCardsOnly: "Vous êtes en mode test\u00a0: utilisez une des cartes de test. {outcome}",
      wiped: "Pour votre sécurité, les données de votre carte ont été effacées après dix minutes.",
    },
    outcomes: {
      paying: "Aucun montant n’a été débité.",
      saving: "Votre carte n’a pas été enregistrée.",
    },
    results: {
      succeeded: {
        paying: ["Paiement effectué", "Merci."],
        saving: ["Carte enregistrée", "Rien n’a été débité."],
      },
      placed: ["Commande validée", "Merci."],
      requires_confirmation: ["Carte acceptée", "La boutique termine votre commande."],
      processing: {
        paying: [
          "Confirmation en cours",
          "Votre banque n’a pas encore répondu. Ne payez pas à nouveau\u00a0: le résultat s’affichera sur cette page.",
        ],
        saving: [
          "Confirmation en cours",
          "Votre banque n’a pas encore répondu. Ne saisissez pas la carte à nouveau\u00a0: le résultat s’affichera sur cette page.",
        ],
      },
      unknown: {
        paying: [
          "Nous ne le savons pas encore",
          "La connexion a été coupée pendant le paiement. Ne payez pas à nouveau tant que cette page n’a pas vérifié le résultat.",
        ],
        saving: [
          "Nous ne le savons pas encore",
          "La connexion a été coupée pendant l’enregistrement de votre carte. Ne recommencez pas tant que cette page n’a pas vérifié le résultat.",
        ],
      },
    },
    checkAgain: "Vérifier à nouveau",
    continueTo: "Continuer vers {merchant}",
    takingYouBack: "Retour vers {merchant}…",
  },
  after: {
    declined: {
      declined: "Cette carte a été refusée. {outcome} Vérifiez les données saisies ou utilisez une autre carte.",
      insufficient_funds: "Le solde ou le plafond de cette carte est insuffisant. {outcome} Essayez une autre carte.",
      expired_card: "Cette carte a expiré. {outcome} Essayez une autre carte.",
      check_card: "Votre banque n’a pas accepté ces informations. {outcome} Vérifiez-les et réessayez.",
      authentication_failed:
        "Votre banque n’a pas pu confirmer que c’est bien vous. {outcome} Réessayez, ou utilisez une autre carte.",
      authentication_canceled: "Vous avez annulé l’opération. {outcome}",
      authentication_timed_out: "La vérification de votre banque a duré trop longtemps. {outcome} Réessayez.",
      duplicate:
        "Un paiement identique vient d’être envoyé et a peut-être abouti. Vérifiez auprès de la boutique ou de votre banque avant de payer à nouveau.",
      try_again: "L’opération n’a pas pu être traitée pour l’instant. {outcome} Réessayez dans un moment.",
    },
    attemptsLeft: {
      one: "Vous pouvez encore essayer {count} fois.",
      many: "Vous pouvez encore essayer {count} fois.",
      other: "Vous pouvez encore essayer {count} fois.",
    },
    results: {
      expired: ["Cette page a expiré", "Le temps est écoulé. {outcome} Retournez à la boutique pour recommencer."],
      canceled: ["Annulé par la boutique", "{outcome} Retournez à la boutique pour recommencer."],
      ended: ["Nombre maximal de tentatives atteint", "{outcome} Retournez à la boutique pour recommencer."],
    },
    confirmTitle: {
      paying: "Vérifiez avant de payer",
      saving: "Vérifiez avant d’enregistrer",
    },
    confirmText: {
      paying:
        "Nous n’avons pas pu vérifier que ce formulaire est entièrement visible. Assurez-vous que la boutique et le montant sont les bons.",
      saving:
        "Nous n’avons pas pu vérifier que ce formulaire est entièrement visible. Assurez-vous que la boutique est la bonne.",
    },
    confirmPay: "Oui, payer {amount}",
    confirmSave: "Oui, enregistrer la carte",
    confirmBack: "Retour",
    tax: "Taxes",
    expiring: "Cette page va bientôt expirer. Temps restant\u00a0: {time}",
    receiptAmount: "Montant",
    receiptDate: "Date",
    receiptReference: "Référence",
    bankTitle: "Confirmez auprès de votre banque",
    bankFrame: "Page de votre banque",
    bankOpened: "Votre banque doit vérifier que c’est bien vous.",
    bankOpening: "Ouverture de la page de votre banque…",
    bankSlow:
      "La page de votre banque met du temps à s’afficher. Vous pouvez attendre, ou annuler et utiliser une autre carte.",
    bankTrouble:
      "Un problème\u202f? Si la page reste vide ou si aucun code n’arrive, annulez et essayez une autre carte.",
    bankConfirming: "En attente de la réponse de votre banque…",
    decoupledTitle: "Validez dans l’application de votre banque",
    decoupledText:
      "Ouvrez l’application de votre banque et validez l’opération. Cette page continuera automatiquement.",
    cancel: "Annuler",
    cancelQuestion: "Annuler\u202f?",
    cancelNo: "Continuer",
    cancelYes: "Oui, annuler",
    canceling: "Annulation…",
  },
  choices: {
    shipping: "Livraison",
    promotionCode: "Code promo",
    applyCode: "Appliquer",
    checkingCode: "Vérification…",
    codeAccepted: "Code appliqué.",
    codeRejected: {
      invalid: "Ce code n’est pas valide.",
      expired: "Ce code a expiré.",
      not_applicable: "Ce code ne s’applique pas à cette commande.",
    },
    codeMissing: "Saisissez un code.",
    codesUsedUp: "Vous avez saisi trop de codes. Vous pouvez continuer sans autre code.",
    codeNotChecked: "Ce code n’a pas pu être vérifié. Réessayez.",
    notChosen: "Le mode de livraison n’a pas pu être modifié. Réessayez.",
  },
} satisfies Language;
