/** Japanese. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "安全なお支払い",
    cardNumber: "カード番号",
    expiry: "有効期限",
    expiryPlaceholder: "月 / 年",
    cvc: "セキュリティコード",
    pay: "支払う",
    encrypted: "この端末上で暗号化されます",
    test: "テスト",
    unreachable: [
      "接続できません",
      "決済サービスに接続できませんでした。情報は送信されていません。通信環境をご確認のうえ、もう一度お試しください。",
    ],
    retry: "もう一度試す",
    needsScript: "お支払いには、JavaScriptを有効にしてください。",
  },
  form: {
    savingTitle: "カードの登録",
    name: "カード名義",
    email: "メールアドレス",
    postalCode: "郵便番号",
    networkChoice: "お支払いに使うカードブランド：{networks}",
    orderDetails: "ご注文内容",
    total: "合計",
    payAmount: "{amount}を支払う",
    placeOrder: "注文を確定する",
    save: "カードを登録",
    alsoSaved: "このカードは、今後のお支払い用として{merchant}に登録されます。",
    onlySaved: "今回、請求は発生しません。このカードは、今後のお支払い用として{merchant}に登録されます。",
    backTo: "{merchant}に戻る",
    invalid: [
      "ショップにお戻りください",
      "このページから直接お支払いいただくことはできません。ショップのご購入手続きからやり直してください。",
    ],
    unsupported: [
      "お使いのブラウザのバージョンが古すぎます",
      "安全にお支払いいただくため、ブラウザを更新するか、別のブラウザでショップを開いてください。",
    ],
    sandboxed: [
      "このフォームはここでは使用できません",
      "このウェブサイトのセキュリティ設定によりブロックされています。情報は送信されていません。ショップにお問い合わせください。",
    ],
    problems: {
      numberMissing: "カード番号を入力してください。",
      numberIncomplete: "カード番号の桁数が足りません。",
      numberWrong: "カード番号に誤りがあるようです。ご確認ください。",
      expiryMissing: "有効期限を入力してください。",
      expiryIncomplete: "04 / 29のように、月と年を入力してください。",
      expiryPast: "このカードは有効期限が切れています。",
      expiryFar: "有効期限の年をご確認ください。",
      cvcMissing: "セキュリティコードを入力してください。",
      cvcIncomplete3: "セキュリティコードは、カード裏面の3桁の数字です。",
      cvcIncomplete4: "セキュリティコードは、カード表面の4桁の数字です。",
      nameMissing: "カードに記載の名義を入力してください。",
      nameWrong: "カードの名義をご確認ください。",
      emailMissing: "メールアドレスを入力してください。",
      emailWrong: "メールアドレスをご確認ください（例：name@example.com）。",
      postalCodeMissing: "郵便番号を入力してください。",
      postalCodeWrong: "郵便番号をご確認ください。",
    },
    steps: {
      submitting: "送信しています…",
      authenticating: "カード会社に確認しています…",
      confirming: "処理を確認しています…",
      reconnecting: "再接続しています…",
    },
    notices: {
      connectionLost: {
        paying:
          "接続が切れました。お支払いが完了したか確認しています。確認が終わるまで、再度お支払いの操作をしないでください。",
        saving:
          "接続が切れました。カードが登録されたか確認しています。確認が終わるまで、もう一度送信しないでください。",
      },
      notStarted: "接続が切れました。{outcome}もう一度お試しいただけます。",
      orderChanged: "ご注文内容が変更されました。{outcome}合計金額をご確認のうえ、お支払いください。",
      rateLimited: "短時間に何度も操作が行われました。{outcome}1分ほど待ってから、もう一度お試しください。",
      notAccepted: "カード情報を送信できませんでした。{outcome}もう一度お試しください。",
      testCardsOnly: "現在はテストモードです。{outcome}テスト用のカードをお使いください。",
      wiped: "安全のため、入力されたカード情報は10分後に消去されました。",
    },
    outcomes: { paying: "代金は請求されていません。", saving: "カードは登録されていません。" },
    results: {
      succeeded: {
        paying: ["お支払いが完了しました", "ありがとうございました。"],
        saving: ["カードを登録しました", "請求は発生していません。"],
      },
      placed: ["ご注文が完了しました", "ありがとうございました。"],
      requires_confirmation: ["カードを受け付けました", "ショップがご注文の手続きを進めています。"],
      processing: {
        paying: [
          "確認中です",
          "カード会社からまだ回答がありません。再度お支払いの操作をしないでください。結果はこのページでお知らせします。",
        ],
        saving: [
          "確認中です",
          "カード会社からまだ回答がありません。カードをもう一度入力しないでください。結果はこのページでお知らせします。",
        ],
      },
      unknown: {
        paying: [
          "結果をまだ確認できていません",
          "お支払いの途中で接続が切れました。このページで結果を確認できるまで、再度お支払いの操作をしないでください。",
        ],
        saving: [
          "結果をまだ確認できていません",
          "カードの登録中に接続が切れました。このページで結果を確認できるまで、手続きをやり直さないでください。",
        ],
      },
    },
    checkAgain: "もう一度確認する",
    continueTo: "{merchant}に進む",
    takingYouBack: "{merchant}に戻ります…",
  },
  after: {
    declined: {
      declined:
        "このカードはご利用いただけませんでした。{outcome}カード情報をご確認いただくか、別のカードをお使いください。",
      insufficient_funds: "カードの残高またはご利用可能額が足りません。{outcome}別のカードをお試しください。",
      expired_card: "このカードは有効期限が切れています。{outcome}別のカードをお試しください。",
      check_card:
        "ご入力の情報は、カード会社で承認されませんでした。{outcome}内容をご確認のうえ、もう一度お試しください。",
      authentication_failed:
        "カード会社でご本人であることを確認できませんでした。{outcome}もう一度お試しになるか、別のカードをお使いください。",
      authentication_canceled: "お客様の操作によりキャンセルされました。{outcome}",
      authentication_timed_out: "カード会社での本人認証が時間切れになりました。{outcome}もう一度お試しください。",
      duplicate:
        "直前に同じ内容のお支払いがあり、すでに完了している可能性があります。再度お支払いの操作をする前に、ショップまたはカード会社にご確認ください。",
      try_again: "ただいま処理を完了できませんでした。{outcome}しばらくしてから、もう一度お試しください。",
    },
    attemptsLeft: { other: "あと{count}回お試しいただけます。" },
    results: {
      expired: [
        "このページは有効期限が切れました",
        "手続きの制限時間を過ぎました。{outcome}ショップに戻って、初めからやり直してください。",
      ],
      canceled: ["ショップが手続きを取り消しました", "{outcome}ショップに戻って、初めからやり直してください。"],
      ended: ["これ以上お試しいただけません", "{outcome}ショップに戻って、初めからやり直してください。"],
    },
    confirmTitle: { paying: "お支払い前にご確認ください", saving: "登録前にご確認ください" },
    confirmText: {
      paying:
        "このフォームがすべて表示されているか確認できませんでした。ショップと金額に間違いがないか、ご確認ください。",
      saving: "このフォームがすべて表示されているか確認できませんでした。ショップに間違いがないか、ご確認ください。",
    },
    confirmPay: "はい、{amount}を支払う",
    confirmSave: "はい、カードを登録する",
    confirmBack: "戻る",
    tax: "税",
    expiring: "このページの有効期限がまもなく切れます。残り時間：{time}",
    receiptAmount: "金額",
    receiptDate: "日付",
    receiptReference: "照会番号",
    bankTitle: "カード会社の本人認証",
    bankFrame: "カード会社のページ",
    bankOpened: "カード会社が、ご本人によるご利用かどうかを確認します。",
    bankOpening: "カード会社のページを開いています…",
    bankSlow:
      "カード会社のページの表示に時間がかかっています。このままお待ちいただくか、キャンセルして別のカードをお使いください。",
    bankTrouble:
      "うまくいかない場合：ページが表示されないときや、認証コードが届かないときは、キャンセルして別のカードをお試しください。",
    bankConfirming: "カード会社の回答を待っています…",
    decoupledTitle: "カード会社のアプリで承認",
    decoupledText: "カード会社のアプリを開いて、承認してください。このページは自動的に次へ進みます。",
    cancel: "キャンセル",
    cancelQuestion: "キャンセルしますか？",
    cancelNo: "手続きを続ける",
    cancelYes: "キャンセルする",
    canceling: "キャンセルしています…",
  },
  choices: {
    shipping: "配送方法",
    promotionCode: "クーポンコード",
    applyCode: "適用",
    checkingCode: "確認しています…",
    codeAccepted: "コードを適用しました。",
    codeRejected: {
      invalid: "このコードは無効です。",
      expired: "このコードは有効期限が切れています。",
      not_applicable: "このコードは今回のご注文にはご利用いただけません。",
    },
    codeMissing: "コードを入力してください。",
    codesUsedUp: "コードの入力回数が上限に達しました。別のコードを使わずに続行できます。",
    codeNotChecked: "コードを確認できませんでした。もう一度お試しください。",
    notChosen: "配送方法を変更できませんでした。もう一度お試しください。",
  },
} satisfies Language;
