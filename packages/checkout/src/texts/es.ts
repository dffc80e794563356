/** Spanish. */
import type { Occasion, WholeTexts } from "./texts.ts";

/** A payment and a card that is only saved fail alike; `outcome` says what has not happened. */
const declined = (outcome: string): Occasion["declined"] => ({
  declined: `Su banco rechazó esta tarjeta. ${outcome} Pruebe con otra tarjeta o pregunte a su banco.`,
  insufficient_funds: `No hay suficiente dinero en esta tarjeta. ${outcome} Pruebe con otra tarjeta.`,
  expired_card: `Esta tarjeta ha caducado. ${outcome} Pruebe con otra tarjeta.`,
  check_card: `Su banco no aceptó estos datos de la tarjeta. ${outcome} Revíselos e inténtelo de nuevo.`,
  authentication_failed: `Su banco no pudo confirmar que es usted. ${outcome} Inténtelo de nuevo o use otra tarjeta.`,
  authentication_canceled: `Ha cancelado. ${outcome}`,
  authentication_timed_out: `La comprobación de su banco tardó demasiado. ${outcome} Inténtelo de nuevo.`,
  try_again: `No se pudo consultar a su banco. ${outcome} Inténtelo de nuevo en un momento.`,
});
const notices = (outcome: string) => ({
  notStarted: `Se perdió la conexión. ${outcome} Puede intentarlo de nuevo.`,
  rateLimited: `Demasiados intentos en poco tiempo. ${outcome} Espere un minuto e inténtelo de nuevo.`,
  notAccepted: `No se pudo enviar la tarjeta. ${outcome} Inténtelo de nuevo.`,
  testCardsOnly: `Está en modo de prueba: use una de las tarjetas de prueba. ${outcome}`,
  wiped: "Por su seguridad, los datos de su tarjeta se borraron después de diez minutos.",
});
const results = (outcome: string) =>
  ({
    requires_confirmation: ["Tarjeta aceptada", "La tienda está terminando su pedido."],
    expired: ["Esta página ha caducado", `Se acabó el tiempo. ${outcome} Vuelva a la tienda para empezar de nuevo.`],
    canceled: ["La tienda lo canceló", `${outcome} Vuelva a la tienda para empezar de nuevo.`],
    ended: ["No quedan intentos", `${outcome} Vuelva a la tienda para empezar de nuevo.`],
  }) satisfies Partial<Occasion["results"]>;
const notPaid = "No se le ha cobrado.";
const notSaved = "Su tarjeta no se guardó.";

const texts: WholeTexts = {
  language: "es",
  direction: "ltr",
  amounts: "es",

  early: {
    invalid: [
      "Vuelva a la tienda",
      "Esta página no puede recibir un pago por sí sola. Empiece de nuevo desde la caja de la tienda.",
    ],
    unreachable: [
      "Sin conexión",
      "No pudimos llegar al servicio de pago. No se envió nada. Revise su conexión e inténtelo de nuevo.",
    ],
    unsupported: [
      "Este navegador es demasiado antiguo",
      "Actualice su navegador, o abra la tienda en otro, para pagar con seguridad.",
    ],
  },
  retry: "Intentar de nuevo",

  cardNumber: "Número de tarjeta",
  expiry: "Caducidad",
  expiryPlaceholder: "MM / AA",
  cvc: "Código CVC",
  name: "Nombre en la tarjeta",
  email: "Correo electrónico",
  postalCode: "Código postal",
  pay: "Pagar",
  payAmount: (amount) => `Pagar ${amount}`,
  save: "Guardar tarjeta",
  keptToo: (merchant) => `${merchant} guarda esta tarjeta para pagos futuros.`,
  keptOnly: (merchant) => `Ahora no se cobra nada. ${merchant} guarda esta tarjeta para pagos futuros.`,
  encrypted: "Cifrado en este dispositivo",
  test: "PRUEBA",
  testCards: "Tarjetas de prueba",
  testCardsHint: "No se mueve dinero. Elija una para rellenar el formulario.",
  testCardOutcomes: {
    approved: "Aprobada",
    declined: "Rechazada",
    insufficient_funds: "Fondos insuficientes",
    frictionless: "Aprobada, sin código",
    challenge: "El banco pide un código",
  },
  backTo: (merchant) => `Volver a ${merchant}`,
  problems: {
    numberMissing: "Escriba el número de su tarjeta.",
    numberIncomplete: "Este número de tarjeta es demasiado corto.",
    numberWrong: "Revise el número de tarjeta: parece que hay una cifra equivocada.",
    expiryMissing: "Escriba la fecha de caducidad.",
    expiryIncomplete: "Escriba el mes y el año, por ejemplo 04 / 29.",
    expiryPast: "Esta tarjeta ha caducado.",
    expiryFar: "Revise el año.",
    cvcMissing: "Escriba el código de seguridad.",
    cvcIncomplete3: "El código tiene 3 cifras, en el reverso de la tarjeta.",
    cvcIncomplete4: "El código tiene 4 cifras, en el frente de la tarjeta.",
    nameMissing: "Escriba el nombre que figura en la tarjeta.",
    emailMissing: "Escriba su correo electrónico.",
    emailWrong: "Revise el correo electrónico, por ejemplo nombre@example.com.",
    postalCodeMissing: "Escriba su código postal.",
  },

  steps: {
    submitting: "Enviando…",
    authenticating: "Su banco está comprobando…",
    confirming: "Confirmando…",
    reconnecting: "Conectando de nuevo…",
  },
  paying: {
    title: "Pago seguro",
    declined: declined(notPaid),
    notices: {
      ...notices(notPaid),
      connectionLost: "Se perdió la conexión. Estamos comprobando si su pago se realizó. No pague otra vez todavía.",
    },
    results: {
      ...results(notPaid),
      succeeded: ["Pago realizado", "Gracias."],
      processing: [
        "Aún sin confirmar",
        "Su banco no ha respondido todavía. No pague otra vez: esta página le dirá cómo termina.",
      ],
      unknown: [
        "Aún no lo sabemos",
        "Se perdió la conexión mientras pagaba. No pague otra vez antes de que esta página lo haya comprobado.",
      ],
    },
  },
  saving: {
    title: "Guardar una tarjeta",
    declined: declined(notSaved),
    notices: {
      ...notices(notSaved),
      connectionLost: "Se perdió la conexión. Estamos comprobando si su tarjeta se guardó. No la envíe otra vez todavía.",
    },
    results: {
      ...results(notSaved),
      succeeded: ["Tarjeta guardada", "No se ha cobrado nada."],
      processing: [
        "Aún sin confirmar",
        "Su banco no ha respondido todavía. No escriba la tarjeta otra vez: esta página le dirá cómo termina.",
      ],
      unknown: [
        "Aún no lo sabemos",
        "Se perdió la conexión mientras se guardaba su tarjeta. No empiece de nuevo antes de que esta página lo haya comprobado.",
      ],
    },
  },
  lookUpAgain: "Comprobar de nuevo",
  continueTo: (merchant) => `Continuar a ${merchant}`,
  takingYouBack: (merchant) => `Volviendo a ${merchant}…`,

  bankTitle: "Confirme con su banco",
  bankFrame: "Página de su banco",
  bankOpened: "Su banco quiere confirmar que es usted.",
  bankOpening: "Abriendo la página de su banco…",
  bankSlow: "La página de su banco está tardando. Puede esperar, o cancelar y usar otra tarjeta.",
  bankTrouble: "¿Algún problema? Si la página sigue vacía o no llega ningún código, cancele y pruebe con otra tarjeta.",
  bankConfirming: "Esperando la respuesta de su banco…",
  cancel: "Cancelar",
  cancelQuestion: "¿Cancelar?",
  cancelNo: "Seguir",
  cancelYes: "Sí, cancelar",
  canceling: "Cancelando…",
};

export default texts;
