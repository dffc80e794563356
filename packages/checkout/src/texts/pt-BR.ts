/** Brazilian Portuguese. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Pagamento seguro",
    cardNumber: "Número do cartão",
    expiry: "Validade",
    expiryPlaceholder: "MM / AA",
    cvc: "CVV",
    pay: "Pagar",
    encrypted: "Criptografado neste dispositivo",
    test: "TESTE",
    unreachable: [
      "Sem conexão",
      "Não conseguimos acessar o serviço de pagamento. Nada foi enviado. Verifique sua conexão e tente novamente.",
    ],
    retry: "Tentar novamente",
    needsScript: "Ative o JavaScript para pagar aqui.",
  },
  form: {
    savingTitle: "Salvar um cartão",
    name: "Nome no cartão",
    email: "E-mail",
    postalCode: "CEP",
    networkChoice: "Pagar com: {networks}",
    orderDetails: "Detalhes do pedido",
    total: "Total",
    payAmount: "Pagar {amount}",
    save: "Salvar cartão",
    alsoSaved: "{merchant} vai guardar este cartão para pagamentos futuros.",
    onlySaved: "Nada será cobrado agora. {merchant} vai guardar este cartão para pagamentos futuros.",
    backTo: "Voltar para {merchant}",
    invalid: [
      "Volte para a loja",
      "Não é possível pagar diretamente nesta página. Comece de novo pela finalização da compra na loja.",
    ],
    unsupported: [
      "Este navegador é muito antigo",
      "Para pagar com segurança, atualize o navegador ou abra a loja em outro.",
    ],
    sandboxed: [
      "Este formulário não pode ser usado aqui",
      "Uma configuração de segurança deste site bloqueia o formulário. Nada foi enviado. Entre em contato com a loja.",
    ],
    problems: {
      numberMissing: "Digite o número do cartão.",
      numberIncomplete: "Este número de cartão está incompleto.",
      numberWrong: "Confira o número do cartão: parece que há um dígito errado.",
      expiryMissing: "Digite a data de validade.",
      expiryIncomplete: "Digite o mês e o ano, por exemplo 04 / 29.",
      expiryPast: "Este cartão está vencido.",
      expiryFar: "Confira o ano.",
      cvcMissing: "Digite o código de segurança.",
      cvcIncomplete3: "O código tem 3 dígitos e fica no verso do cartão.",
      cvcIncomplete4: "O código tem 4 dígitos e fica na frente do cartão.",
      nameMissing: "Digite o nome impresso no cartão.",
      nameWrong: "Confira o nome.",
      emailMissing: "Digite seu e-mail.",
      emailWrong: "Confira o e-mail. Ele deve ser como nome@example.com.",
      postalCodeMissing: "Digite seu CEP.",
      postalCodeWrong: "Confira o CEP.",
    },
    steps: {
      submitting: "Enviando…",
      authenticating: "Verificando com seu banco…",
      confirming: "Confirmando…",
      reconnecting: "Reconectando…",
    },
    notices: {
      connectionLost: {
        paying: "A conexão caiu. Estamos verificando se o pagamento foi feito. Não pague de novo por enquanto.",
        saving: "A conexão caiu. Estamos verificando se o cartão foi salvo. Não envie de novo por enquanto.",
      },
      notStarted: "A conexão caiu. {outcome} Você pode tentar novamente.",
      orderChanged: "Seu pedido mudou. {outcome} Confira o total antes de pagar.",
      rateLimited: "Muitas tentativas em pouco tempo. {outcome} Aguarde um minuto e tente novamente.",
      notAccepted: "Não foi possível enviar o cartão. {outcome} Tente novamente.",
      testCardsOnly: "Você está no modo de teste: use um dos cartões de teste. {outcome}",
      wiped: "Para sua segurança, os dados do cartão foram apagados depois de dez minutos.",
    },
    outcomes: {
      paying: "Nada foi cobrado.",
      saving: "Seu cartão não foi salvo.",
    },
    results: {
      succeeded: {
        paying: ["Pagamento concluído", "Obrigado."],
        saving: ["Cartão salvo", "Nada foi cobrado."],
      },
      requires_confirmation: ["Cartão aceito", "A loja está finalizando seu pedido."],
      processing: {
        paying: [
          "Aguardando confirmação",
          "Seu banco ainda não respondeu. Não pague de novo: o resultado vai aparecer nesta página.",
        ],
        saving: [
          "Aguardando confirmação",
          "Seu banco ainda não respondeu. Não digite os dados do cartão de novo: o resultado vai aparecer nesta página.",
        ],
      },
      unknown: {
        paying: [
          "Ainda não sabemos",
          "A conexão caiu durante o pagamento. Não pague de novo até que esta página termine de verificar.",
        ],
        saving: [
          "Ainda não sabemos",
          "A conexão caiu enquanto o cartão era salvo. Não comece de novo até que esta página termine de verificar.",
        ],
      },
    },
    checkAgain: "Verificar de novo",
    continueTo: "Continuar para {merchant}",
    takingYouBack: "Voltando para {merchant}…",
  },
  after: {
    declined: {
      declined: "Este cartão foi recusado. {outcome} Confira os dados ou use outro cartão.",
      insufficient_funds: "Este cartão não tem saldo ou limite suficiente. {outcome} Tente outro cartão.",
      expired_card: "Este cartão está vencido. {outcome} Tente outro cartão.",
      check_card: "Seu banco não aceitou estes dados. {outcome} Confira e tente novamente.",
      authentication_failed:
        "Seu banco não conseguiu confirmar que é você. {outcome} Tente novamente ou use outro cartão.",
      authentication_canceled: "Você cancelou a operação. {outcome}",
      authentication_timed_out: "A verificação do seu banco demorou demais. {outcome} Tente novamente.",
      duplicate:
        "Um pagamento idêntico acabou de ser enviado e pode ter sido concluído. Verifique com a loja ou com o banco antes de pagar de novo.",
      try_again: "Não foi possível processar a operação agora. {outcome} Tente novamente daqui a pouco.",
    },
    attemptsLeft: {
      one: "Você pode tentar mais {count} vez.",
      many: "Você pode tentar mais {count} vezes.",
      other: "Você pode tentar mais {count} vezes.",
    },
    results: {
      expired: ["Esta página expirou", "O tempo acabou. {outcome} Volte para a loja para começar de novo."],
      canceled: ["Cancelado pela loja", "{outcome} Volte para a loja para começar de novo."],
      ended: ["Não há mais tentativas", "{outcome} Volte para a loja para começar de novo."],
    },
    confirmTitle: {
      paying: "Confira antes de pagar",
      saving: "Confira antes de salvar",
    },
    confirmText: {
      paying:
        "Não conseguimos verificar se este formulário está totalmente visível. Confirme se a loja e o valor estão corretos.",
      saving: "Não conseguimos verificar se este formulário está totalmente visível. Confirme se a loja está correta.",
    },
    confirmPay: "Sim, pagar {amount}",
    confirmSave: "Sim, salvar o cartão",
    confirmBack: "Voltar",
    tax: "Impostos",
    expiring: "Esta página está prestes a expirar. Tempo restante: {time}",
    receiptAmount: "Valor",
    receiptDate: "Data",
    receiptReference: "Referência",
    bankTitle: "Confirme com seu banco",
    bankFrame: "Página do seu banco",
    bankOpened: "Seu banco quer confirmar que é você.",
    bankOpening: "Abrindo a página do seu banco…",
    bankSlow: "A página do seu banco está demorando. Você pode esperar, ou cancelar e usar outro cartão.",
    bankTrouble:
      "Algum problema? Se a página continuar em branco ou nenhum código chegar, cancele e tente outro cartão.",
    bankConfirming: "Aguardando a resposta do seu banco…",
    decoupledTitle: "Aprove no aplicativo do seu banco",
    decoupledText: "Abra o aplicativo do seu banco e aprove por lá. Esta página vai continuar automaticamente.",
    cancel: "Cancelar",
    cancelQuestion: "Quer cancelar?",
    cancelNo: "Continuar",
    cancelYes: "Sim, cancelar",
    canceling: "Cancelando…",
  },
} satisfies Language;
