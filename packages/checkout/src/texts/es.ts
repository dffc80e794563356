/** Spanish. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Pago seguro",
    cardNumber: "Número de tarjeta",
    expiry: "Caducidad",
    expiryPlaceholder: "MM / AA",
    cvc: "Código CVC",
    pay: "Pagar",
    encrypted: "Cifrado en este dispositivo",
    test: "PRUEBA",
    unreachable: [
      "Sin conexión",
      "No pudimos conectar con el servicio de pago. No se envió nada. Revise su conexión e inténtelo de nuevo.",
    ],
    retry: "Reintentar",
    needsScript: "Active JavaScript para pagar aquí.",
  },
  form: {
    savingTitle: "Guardar una tarjeta",
    name: "Nombre en la tarjeta",
    email: "Correo electrónico",
    postalCode: "Código postal",
    networkChoice: "Pagar con: {networks}",
    orderDetails: "Detalles del pedido",
    total: "Total",
    payAmount: "Pagar {amount}",
    placeOrder: "Realizar pedido",
    save: "Guardar tarjeta",
    alsoSaved: "{merchant} guardará esta tarjeta para pagos futuros.",
    onlySaved: "Ahora no se cobra nada. {merchant} guardará esta tarjeta para pagos futuros.",
    backTo: "Volver a {merchant}",
    invalid: [
      "Vuelva a la tienda",
      "No se puede pagar directamente desde esta página. Empiece de nuevo desde el carrito de la tienda.",
    ],
    unsupported: [
      "Este navegador es demasiado antiguo",
      "Actualice su navegador, o abra la tienda en otro, para pagar con seguridad.",
    ],
    sandboxed: [
      "Este formulario no se puede usar aquí",
      "Un ajuste de seguridad de este sitio web lo bloquea. No se envió nada. Póngase en contacto con la tienda.",
    ],
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
      nameWrong: "Revise el nombre.",
      emailMissing: "Escriba su dirección de correo electrónico.",
      emailWrong: "Revise el correo electrónico, por ejemplo nombre@example.com.",
      postalCodeMissing: "Escriba su código postal.",
      postalCodeWrong: "Revise el código postal.",
    },
    steps: {
      submitting: "Enviando…",
      authenticating: "Su banco está comprobando…",
      confirming: "Confirmando…",
      reconnecting: "Conectando de nuevo…",
    },
    notices: {
      connectionLost: {
        paying: "Se perdió la conexión. Estamos comprobando si su pago se realizó. Por ahora, no vuelva a pagar.",
        saving: "Se perdió la conexión. Estamos comprobando si su tarjeta se guardó. Por ahora, no vuelva a enviarla.",
      },
      notStarted: "Se perdió la conexión. {outcome} Puede intentarlo de nuevo.",
      orderChanged: "Su pedido ha cambiado. {outcome} Compruebe el total antes de pagar.",
      rateLimited: "Demasiados intentos en poco tiempo. {outcome} Espere un minuto e inténtelo de nuevo.",
      notAccepted: "No se pudo enviar la tarjeta. {outcome} Inténtelo de nuevo.",
      testCardsOnly: "Está en modo de prueba: use una de las tarjetas de prueba. {outcome}",
      wiped: "Por su seguridad, los datos de su tarjeta se borraron después de diez minutos.",
    },
    outcomes: {
      paying: "No se le ha cobrado.",
      saving: "Su tarjeta no se guardó.",
    },
    results: {
      succeeded: {
        paying: ["Pago realizado", "Gracias."],
        saving: ["Tarjeta guardada", "No se ha cobrado nada."],
      },
      placed: ["Pedido realizado", "Gracias."],
      requires_confirmation: ["Tarjeta aceptada", "La tienda está terminando su pedido."],
      processing: {
        paying: [
          "Aún sin confirmar",
          "Su banco no ha respondido todavía. No vuelva a pagar: el resultado aparecerá en esta página.",
        ],
        saving: [
          "Aún sin confirmar",
          "Su banco no ha respondido todavía. No vuelva a escribir los datos de la tarjeta: el resultado aparecerá en esta página.",
        ],
      },
      unknown: {
        paying: [
          "Aún no lo sabemos",
          "Se perdió la conexión mientras pagaba. No vuelva a pagar hasta que esta página haya comprobado el resultado.",
        ],
        saving: [
          "Aún no lo sabemos",
          "Se perdió la conexión mientras se guardaba su tarjeta. No empiece de nuevo hasta que esta página haya comprobado el resultado.",
        ],
      },
    },
    checkAgain: "Comprobar de nuevo",
    continueTo: "Continuar a {merchant}",
    takingYouBack: "Volviendo a {merchant}…",
  },
  after: {
    declined: {
      declined: "Esta tarjeta fue rechazada. {outcome} Revise los datos o use otra tarjeta.",
      insufficient_funds: "Esta tarjeta no tiene fondos suficientes. {outcome} Pruebe con otra tarjeta.",
      expired_card: "Esta tarjeta ha caducado. {outcome} Pruebe con otra tarjeta.",
      check_card: "Su banco no aceptó estos datos. {outcome} Revíselos e inténtelo de nuevo.",
      authentication_failed:
        "Su banco no pudo confirmar que es usted. {outcome} Inténtelo de nuevo o use otra tarjeta.",
      authentication_canceled: "Ha cancelado la operación. {outcome}",
      authentication_timed_out: "La comprobación de su banco tardó demasiado. {outcome} Inténtelo de nuevo.",
      duplicate:
        "Se acaba de enviar un pago idéntico y es posible que se haya cobrado. Consulte con la tienda o con su banco antes de volver a pagar.",
      try_again:
        "En este momento no se puede procesar la operación. {outcome} Inténtelo de nuevo dentro de unos minutos.",
    },
    attemptsLeft: {
      one: "Puede intentarlo {count} vez más.",
      many: "Puede intentarlo {count} veces más.",
      other: "Puede intentarlo {count} veces más.",
    },
    results: {
      expired: ["Esta página ha caducado", "Se acabó el tiempo. {outcome} Vuelva a la tienda para empezar de nuevo."],
      canceled: ["Cancelado por la tienda", "{outcome} Vuelva a la tienda para empezar de nuevo."],
      ended: ["No quedan intentos", "{outcome} Vuelva a la tienda para empezar de nuevo."],
    },
    confirmTitle: {
      paying: "Compruebe antes de pagar",
      saving: "Compruebe antes de guardar",
    },
    confirmText: {
      paying:
        "No pudimos comprobar que este formulario se vea por completo. Asegúrese de que la tienda y el importe son correctos.",
      saving:
        "No pudimos comprobar que este formulario se vea por completo. Asegúrese de que la tienda es la correcta.",
    },
    confirmPay: "Sí, pagar {amount}",
    confirmSave: "Sí, guardar la tarjeta",
    confirmBack: "Volver",
    tax: "Impuestos",
    expiring: "Esta página está a punto de caducar. Tiempo restante: {time}",
    receiptAmount: "Importe",
    receiptDate: "Fecha",
    receiptReference: "Referencia",
    bankTitle: "Confirme con su banco",
    bankFrame: "Página de su banco",
    bankOpened: "Su banco quiere confirmar que es usted.",
    bankOpening: "Abriendo la página de su banco…",
    bankSlow: "La página de su banco está tardando. Puede esperar, o cancelar y usar otra tarjeta.",
    bankTrouble:
      "¿Algún problema? Si la página sigue vacía o no llega ningún código, cancele y pruebe con otra tarjeta.",
    bankConfirming: "Esperando la respuesta de su banco…",
    decoupledTitle: "Apruebe en la aplicación de su banco",
    decoupledText: "Abra la aplicación de su banco y apruebe allí. Esta página continuará automáticamente.",
    cancel: "Cancelar",
    cancelQuestion: "¿Cancelar?",
    cancelNo: "Seguir",
    cancelYes: "Sí, cancelar",
    canceling: "Cancelando…",
  },
  choices: {
    shipping: "Envío",
    promotionCode: "Código promocional",
    applyCode: "Aplicar",
    checkingCode: "Comprobando…",
    codeAccepted: "Código aplicado.",
    codeRejected: {
      invalid: "Este código no es válido.",
      expired: "Este código ha caducado.",
      not_applicable: "Este código no se puede usar en este pedido.",
    },
    codeMissing: "Escriba un código.",
    codesUsedUp: "Ha probado demasiados códigos. Puede continuar sin otro código.",
    codeNotChecked: "No se pudo comprobar este código. Inténtelo de nuevo.",
    notChosen: "No se pudo cambiar el envío. Inténtelo de nuevo.",
  },
} satisfies Language;
