/** Arabic. Amounts and examples keep the digits that stand on the card. */
import type { Occasion, WholeTexts } from "./texts.ts";

/** A payment and a card that is only saved fail alike; `outcome` says what has not happened. */
const declined = (outcome: string): Occasion["declined"] => ({
  declined: `رفض بنكك هذه البطاقة. ${outcome} جرّب بطاقة أخرى أو اسأل بنكك.`,
  insufficient_funds: `لا يوجد رصيد كافٍ في هذه البطاقة. ${outcome} جرّب بطاقة أخرى.`,
  expired_card: `انتهت صلاحية هذه البطاقة. ${outcome} جرّب بطاقة أخرى.`,
  check_card: `لم يقبل بنكك بيانات البطاقة هذه. ${outcome} راجعها ثم حاول مرة أخرى.`,
  authentication_failed: `لم يتمكن بنكك من التأكد من هويتك. ${outcome} حاول مرة أخرى أو استخدم بطاقة أخرى.`,
  authentication_canceled: `لقد ألغيت العملية. ${outcome}`,
  authentication_timed_out: `استغرق تحقق بنكك وقتًا طويلًا. ${outcome} حاول مرة أخرى.`,
  try_again: `تعذّر الوصول إلى بنكك الآن. ${outcome} حاول مرة أخرى بعد قليل.`,
});
const notices = (outcome: string) => ({
  notStarted: `انقطع الاتصال. ${outcome} يمكنك المحاولة مرة أخرى.`,
  rateLimited: `محاولات كثيرة في وقت قصير. ${outcome} انتظر دقيقة ثم حاول مرة أخرى.`,
  notAccepted: `تعذّر إرسال البطاقة. ${outcome} حاول مرة أخرى.`,
  testCardsOnly: `هذا وضع التجربة: استخدم إحدى البطاقات التجريبية. ${outcome}`,
  wiped: "حرصًا على سلامتك، مُسحت بيانات بطاقتك بعد عشر دقائق.",
});
const results = (outcome: string) =>
  ({
    requires_confirmation: ["قُبلت البطاقة", "المتجر يُكمل طلبك."],
    expired: ["انتهت صلاحية هذه الصفحة", `انتهى وقتها. ${outcome} ارجع إلى المتجر لتبدأ من جديد.`],
    canceled: ["ألغى المتجر هذه العملية", `${outcome} ارجع إلى المتجر لتبدأ من جديد.`],
    ended: ["لا محاولات أخرى", `${outcome} ارجع إلى المتجر لتبدأ من جديد.`],
  }) satisfies Partial<Occasion["results"]>;
const notPaid = "لم يُخصم منك شيء.";
const notSaved = "لم تُحفظ بطاقتك.";

const texts: WholeTexts = {
  language: "ar",
  direction: "rtl",
  amounts: "ar-u-nu-latn",

  early: {
    invalid: ["ارجع إلى المتجر", "لا يمكن لهذه الصفحة استلام دفعة وحدها. ابدأ من جديد من صفحة الدفع في المتجر."],
    unreachable: ["لا يوجد اتصال", "تعذّر الوصول إلى خدمة الدفع. لم يُرسَل أي شيء. تحقّق من اتصالك ثم حاول مرة أخرى."],
    unsupported: ["هذا المتصفح قديم جدًا", "حدّث متصفحك أو افتح المتجر في متصفح آخر لتدفع بأمان."],
  },
  retry: "حاول مرة أخرى",

  cardNumber: "رقم البطاقة",
  expiry: "تاريخ الانتهاء",
  expiryPlaceholder: "شهر / سنة",
  cvc: "رمز الأمان",
  name: "الاسم على البطاقة",
  email: "البريد الإلكتروني",
  postalCode: "الرمز البريدي",
  pay: "ادفع",
  payAmount: (amount) => `ادفع ${amount}`,
  save: "احفظ البطاقة",
  keptToo: (merchant) => `يحتفظ ${merchant} بهذه البطاقة لدفعات لاحقة.`,
  keptOnly: (merchant) => `لن يُخصم شيء الآن. يحتفظ ${merchant} بهذه البطاقة لدفعات لاحقة.`,
  encrypted: "مشفّر على هذا الجهاز",
  test: "تجربة",
  testCards: "بطاقات تجريبية",
  testCardsHint: "لا تُنقل أي أموال. اختر بطاقة لملء النموذج.",
  testCardOutcomes: {
    approved: "مقبولة",
    declined: "مرفوضة",
    insufficient_funds: "الرصيد غير كافٍ",
    frictionless: "مقبولة دون طلب رمز",
    challenge: "البنك يطلب رمزًا",
  },
  backTo: (merchant) => `الرجوع إلى ${merchant}`,
  problems: {
    numberMissing: "أدخل رقم بطاقتك.",
    numberIncomplete: "رقم البطاقة هذا قصير جدًا.",
    numberWrong: "راجع رقم البطاقة: يبدو أن أحد الأرقام خاطئ.",
    expiryMissing: "أدخل تاريخ الانتهاء.",
    expiryIncomplete: "أدخل الشهر والسنة، مثل 04 / 29.",
    expiryPast: "انتهت صلاحية هذه البطاقة.",
    expiryFar: "راجع السنة.",
    cvcMissing: "أدخل رمز الأمان.",
    cvcIncomplete3: "يتكوّن الرمز من 3 أرقام على ظهر البطاقة.",
    cvcIncomplete4: "يتكوّن الرمز من 4 أرقام على وجه البطاقة.",
    nameMissing: "أدخل الاسم المكتوب على البطاقة.",
    emailMissing: "أدخل بريدك الإلكتروني.",
    emailWrong: "راجع البريد الإلكتروني، مثل name@example.com.",
    postalCodeMissing: "أدخل رمزك البريدي.",
  },

  steps: {
    submitting: "جارٍ الإرسال…",
    authenticating: "جارٍ التحقق لدى بنكك…",
    confirming: "جارٍ التأكيد…",
    reconnecting: "جارٍ إعادة الاتصال…",
  },
  paying: {
    title: "دفع آمن",
    declined: declined(notPaid),
    notices: { ...notices(notPaid), connectionLost: "انقطع الاتصال. نتحقق الآن مما إذا تمّت دفعتك. لا تدفع مرة أخرى بعد." },
    results: {
      ...results(notPaid),
      succeeded: ["تمّ الدفع", "شكرًا لك."],
      processing: ["بانتظار التأكيد", "لم يردّ بنكك بعد. لا تدفع مرة أخرى: ستخبرك هذه الصفحة بالنتيجة."],
      unknown: ["لا نعرف بعد", "انقطع الاتصال أثناء الدفع. لا تدفع مرة أخرى قبل أن تتحقق هذه الصفحة."],
    },
  },
  saving: {
    title: "حفظ بطاقة",
    declined: declined(notSaved),
    notices: { ...notices(notSaved), connectionLost: "انقطع الاتصال. نتحقق الآن مما إذا حُفظت بطاقتك. لا ترسلها مرة أخرى بعد." },
    results: {
      ...results(notSaved),
      succeeded: ["حُفظت البطاقة", "لم يُخصم شيء."],
      processing: ["بانتظار التأكيد", "لم يردّ بنكك بعد. لا تُدخل البطاقة مرة أخرى: ستخبرك هذه الصفحة بالنتيجة."],
      unknown: ["لا نعرف بعد", "انقطع الاتصال أثناء حفظ بطاقتك. لا تبدأ من جديد قبل أن تتحقق هذه الصفحة."],
    },
  },
  lookUpAgain: "تحقّق مرة أخرى",
  continueTo: (merchant) => `المتابعة إلى ${merchant}`,
  takingYouBack: (merchant) => `جارٍ إعادتك إلى ${merchant}…`,

  bankTitle: "أكّد لدى بنكك",
  bankFrame: "صفحة بنكك",
  bankOpened: "يريد بنكك التأكد من هويتك.",
  bankOpening: "جارٍ فتح صفحة بنكك…",
  bankSlow: "تستغرق صفحة بنكك بعض الوقت. يمكنك الانتظار، أو الإلغاء واستخدام بطاقة أخرى.",
  bankTrouble: "هل تواجه مشكلة؟ إذا بقيت الصفحة فارغة أو لم يصل رمز، فألغِ وجرّب بطاقة أخرى.",
  bankConfirming: "بانتظار ردّ بنكك…",
  cancel: "إلغاء",
  cancelQuestion: "هل تريد الإلغاء؟",
  cancelNo: "متابعة",
  cancelYes: "نعم، ألغِ",
  canceling: "جارٍ الإلغاء…",
};

export default texts;
