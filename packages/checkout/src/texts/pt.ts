/** European Portuguese. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Pagamento seguro",
    cardNumber: "Número do cartão",
    expiry: "Validade",
    expiryPlaceholder: "MM / AA",
    cvc: "CVV / CVC",
    pay: "Pagar",
    encrypted: "Encriptado neste dispositivo",
    test: "TESTE",
    unreachable: [
      "Sem ligação",
      "Não foi possível contactar o serviço de pagamento. Nada foi enviado. Verifique a sua ligação e tente novamente.",
    ],
    retry: "Tentar novamente",
    needsScript: "Ative o JavaScript para pagar aqui.",
  },
  form: {
    savingTitle: "Guardar um cartão",
    name: "Nome no cartão",
    email: "E-mail",
    postalCode: "Código postal",
    networkChoice: "Pagar com: {networks}",
    orderDetails: "Detalhes da encomenda",
    total: "Total",
    payAmount: "Pagar {amount}",
    placeOrder: "Efetuar encomenda",
    save: "Guardar cartão",
    alsoSaved: "{merchant} irá guardar este cartão para pagamentos futuros.",
    onlySaved: "Nada é cobrado agora. {merchant} irá guardar este cartão para pagamentos futuros.",
    backTo: "Voltar a {merchant}",
    invalid: [
      "Volte à loja",
      "Não é possível pagar diretamente nesta página. Recomece a partir da finalização da compra na loja.",
    ],
    unsupported: [
      "Este navegador é demasiado antigo",
      "Para pagar em segurança, atualize o navegador ou abra a loja noutro.",
    ],
    sandboxed: [
      "Este formulário não pode ser usado aqui",
      "Uma definição de segurança deste site bloqueia-o. Nada foi enviado. Contacte a loja.",
    ],
    problems: {
      numberMissing: "Introduza o número do cartão.",
      numberIncomplete: "Este número de cartão é demasiado curto.",
      numberWrong: "Verifique o número do cartão: um dos algarismos parece estar errado.",
      expiryMissing: "Introduza a data de validade.",
      expiryIncomplete: "Introduza o mês e o ano, por exemplo 04 / 29.",
      expiryPast: "Este cartão está fora de validade.",
      expiryFar: "Verifique o ano.",
      cvcMissing: "Introduza o código de segurança.",
      cvcIncomplete3: "O código tem 3 algarismos e está no verso do cartão.",
      cvcIncomplete4: "O código tem 4 algarismos e está na frente do cartão.",
      nameMissing: "Introduza o nome que consta do cartão.",
      nameWrong: "Verifique o nome.",
      emailMissing: "Introduza o seu endereço de e-mail.",
      emailWrong: "Verifique o endereço de e-mail, por exemplo nome@example.com.",
      postalCodeMissing: "Introduza o seu código postal.",
      postalCodeWrong: "Verifique o código postal.",
    },
    steps: {
      submitting: "A enviar…",
      authenticating: "A verificar com o seu banco…",
      confirming: "A confirmar…",
      reconnecting: "A restabelecer a ligação…",
    },
    notices: {
      connectionLost: {
        paying:
          "A ligação foi interrompida. Estamos a verificar se o pagamento foi efetuado. Não pague outra vez por enquanto.",
        saving:
          "A ligação foi interrompida. Estamos a verificar se o cartão foi guardado. Não o envie outra vez por enquanto.",
      },
      notStarted: "A ligação foi interrompida. {outcome} Pode tentar novamente.",
      orderChanged: "A sua encomenda foi alterada. {outcome} Confirme o total antes de pagar.",
      rateLimited: "Demasiadas tentativas em pouco tempo. {outcome} Aguarde um minuto e tente novamente.",
      notAccepted: "Não foi possível enviar o cartão. {outcome} Tente novamente.",
      testCardsOnly: "Está em modo de teste: utilize um dos cartões de teste. {outcome}",
      wiped: "Para sua segurança, os dados do cartão foram apagados ao fim de dez minutos.",
    },
    outcomes: {
      paying: "Não lhe foi cobrado nada.",
      saving: "O seu cartão não foi guardado.",
    },
    results: {
      succeeded: {
        paying: ["Pagamento efetuado", "Obrigado."],
        saving: ["Cartão guardado", "Não lhe foi cobrado nada."],
      },
      placed: ["Encomenda efetuada", "Obrigado."],
      requires_confirmation: ["Cartão aceite", "A loja está a concluir a sua encomenda."],
      processing: {
        paying: [
          "A aguardar confirmação",
          "O seu banco ainda não respondeu. Não pague outra vez: o resultado será indicado nesta página.",
        ],
        saving: [
          "A aguardar confirmação",
          "O seu banco ainda não respondeu. Não introduza os dados do cartão outra vez: o resultado será indicado nesta página.",
        ],
      },
      unknown: {
        paying: [
          "Ainda não sabemos",
          "A ligação foi interrompida durante o pagamento. Não pague outra vez até esta página ter verificado o resultado.",
        ],
        saving: [
          "Ainda não sabemos",
          "A ligação foi interrompida enquanto o cartão era guardado. Não recomece até esta página ter verificado o resultado.",
        ],
      },
    },
    checkAgain: "Verificar de novo",
    continueTo: "Continuar para {merchant}",
    takingYouBack: "A regressar a {merchant}…",
  },
  after: {
    declined: {
      declined: "Este cartão foi recusado. {outcome} Verifique os dados ou utilize outro cartão.",
      insufficient_funds: "Este cartão não tem saldo ou plafond suficiente. {outcome} Experimente outro cartão.",
      expired_card: "Este cartão está fora de validade. {outcome} Experimente outro cartão.",
      check_card: "O seu banco não aceitou estes dados. {outcome} Verifique-os e tente novamente.",
      authentication_failed:
        "O seu banco não conseguiu confirmar a sua identidade. {outcome} Tente novamente ou utilize outro cartão.",
      authentication_canceled: "Cancelou a operação. {outcome}",
      authentication_timed_out: "A verificação do seu banco demorou demasiado tempo. {outcome} Tente novamente.",
      duplicate:
        "Foi enviado há instantes um pagamento idêntico, que pode ter sido concluído. Confirme junto da loja ou do banco antes de pagar outra vez.",
      try_again: "De momento, não foi possível processar a operação. {outcome} Tente novamente dentro de momentos.",
    },
    attemptsLeft: {
      one: "Pode tentar mais {count} vez.",
      many: "Pode tentar mais {count} vezes.",
      other: "Pode tentar mais {count} vezes.",
    },
    results: {
      expired: ["Esta página expirou", "O tempo esgotou-se. {outcome} Volte à loja para recomeçar."],
      canceled: ["A loja cancelou a operação", "{outcome} Volte à loja para recomeçar."],
      ended: ["Não há mais tentativas", "{outcome} Volte à loja para recomeçar."],
    },
    confirmTitle: {
      paying: "Confirme antes de pagar",
      saving: "Confirme antes de guardar",
    },
    confirmText: {
      paying:
        "Não conseguimos verificar se este formulário está totalmente visível. Certifique-se de que a loja e o montante estão corretos.",
      saving:
        "Não conseguimos verificar se este formulário está totalmente visível. Certifique-se de que a loja é a correta.",
    },
    confirmPay: "Sim, pagar {amount}",
    confirmSave: "Sim, guardar o cartão",
    confirmBack: "Voltar",
    tax: "Impostos",
    expiring: "Esta página está prestes a expirar. Tempo restante: {time}",
    receiptAmount: "Montante",
    receiptDate: "Data",
    receiptReference: "Referência",
    bankTitle: "Confirme junto do seu banco",
    bankFrame: "Página do seu banco",
    bankOpened: "O seu banco quer confirmar a sua identidade.",
    bankOpening: "A abrir a página do seu banco…",
    bankSlow: "A página do seu banco está a demorar. Pode aguardar, ou cancelar e utilizar outro cartão.",
    bankTrouble:
      "Está com dificuldades? Se a página continuar vazia ou não receber nenhum código, cancele e experimente outro cartão.",
    bankConfirming: "A aguardar a resposta do seu banco…",
    decoupledTitle: "Autorize na app do seu banco",
    decoupledText: "Abra a app do seu banco e autorize a operação. Esta página avança automaticamente.",
    cancel: "Cancelar",
    cancelQuestion: "Quer cancelar?",
    cancelNo: "Continuar",
    cancelYes: "Sim, cancelar",
    canceling: "A cancelar…",
  },
  choices: {
    shipping: "Envio",
    promotionCode: "Código promocional",
    applyCode: "Aplicar",
    checkingCode: "A verificar…",
    codeAccepted: "Código aplicado.",
    codeRejected: {
      invalid: "Este código não é válido.",
      expired: "Este código expirou.",
      not_applicable: "Este código não pode ser usado nesta encomenda.",
    },
    codeMissing: "Introduza um código.",
    codesUsedUp: "Introduziu demasiados códigos. Pode continuar sem outro código.",
    codeNotChecked: "Não foi possível verificar este código. Tente novamente.",
    notChosen: "Não foi possível alterar o envio. Tente novamente.",
  },
} satisfies Language;
