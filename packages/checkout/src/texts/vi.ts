/** Vietnamese. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Thanh toán an toàn",
    cardNumber: "Số thẻ",
    expiry: "Ngày hết hạn",
    expiryPlaceholder: "MM / YY",
    cvc: "Mã CVV",
    pay: "Thanh toán",
    encrypted: "Được mã hóa trên thiết bị này",
    test: "THỬ NGHIỆM",
    unreachable: [
      "Không có kết nối",
      "Không thể kết nối với dịch vụ thanh toán. Chưa có thông tin nào được gửi đi. Vui lòng kiểm tra kết nối mạng và thử lại.",
    ],
    retry: "Thử lại",
    needsScript: "Vui lòng bật JavaScript để thanh toán tại đây.",
  },
  form: {
    savingTitle: "Lưu thẻ",
    name: "Tên in trên thẻ",
    email: "Email",
    postalCode: "Mã bưu chính",
    networkChoice: "Chọn tổ chức thẻ: {networks}",
    orderDetails: "Chi tiết đơn hàng",
    total: "Tổng cộng",
    payAmount: "Thanh toán {amount}",
    save: "Lưu thẻ",
    alsoSaved: "{merchant} sẽ lưu thẻ này cho các lần thanh toán sau.",
    onlySaved: "Hiện tại bạn không bị trừ tiền. {merchant} sẽ lưu thẻ này cho các lần thanh toán sau.",
    backTo: "Quay lại {merchant}",
    invalid: [
      "Vui lòng quay lại cửa hàng",
      "Không thể thanh toán trực tiếp từ trang này. Vui lòng bắt đầu lại từ bước thanh toán của cửa hàng.",
    ],
    unsupported: [
      "Trình duyệt này đã quá cũ",
      "Vui lòng cập nhật trình duyệt hoặc mở cửa hàng bằng trình duyệt khác để thanh toán an toàn.",
    ],
    sandboxed: [
      "Không thể dùng biểu mẫu này ở đây",
      "Một cài đặt bảo mật của trang web này chặn biểu mẫu. Chưa có gì được gửi đi. Hãy liên hệ với cửa hàng.",
    ],
    problems: {
      numberMissing: "Vui lòng nhập số thẻ.",
      numberIncomplete: "Số thẻ chưa đủ chữ số.",
      numberWrong: "Vui lòng kiểm tra số thẻ: có thể có chữ số bị sai.",
      expiryMissing: "Vui lòng nhập ngày hết hạn.",
      expiryIncomplete: "Vui lòng nhập tháng và năm, ví dụ 04 / 29.",
      expiryPast: "Thẻ này đã hết hạn.",
      expiryFar: "Vui lòng kiểm tra năm hết hạn.",
      cvcMissing: "Vui lòng nhập mã CVV.",
      cvcIncomplete3: "Mã CVV gồm 3 chữ số ở mặt sau thẻ.",
      cvcIncomplete4: "Mã CVV gồm 4 chữ số ở mặt trước thẻ.",
      nameMissing: "Vui lòng nhập tên in trên thẻ.",
      nameWrong: "Vui lòng kiểm tra tên.",
      emailMissing: "Vui lòng nhập địa chỉ email.",
      emailWrong: "Vui lòng kiểm tra địa chỉ email, ví dụ ten@example.com.",
      postalCodeMissing: "Vui lòng nhập mã bưu chính.",
      postalCodeWrong: "Vui lòng kiểm tra mã bưu chính.",
    },
    steps: {
      submitting: "Đang gửi…",
      authenticating: "Đang xác thực với ngân hàng…",
      confirming: "Đang xác nhận…",
      reconnecting: "Đang kết nối lại…",
    },
    notices: {
      connectionLost: {
        paying:
          "Mất kết nối. Chúng tôi đang kiểm tra xem giao dịch của bạn đã thành công chưa. Vui lòng đừng thanh toán lại lúc này.",
        saving:
          "Mất kết nối. Chúng tôi đang kiểm tra xem thẻ của bạn đã được lưu chưa. Vui lòng đừng gửi lại thẻ lúc này.",
      },
      notStarted: "Mất kết nối. {outcome} Bạn có thể thử lại.",
      orderChanged: "Đơn hàng của bạn đã thay đổi. {outcome} Vui lòng kiểm tra tổng số tiền trước khi thanh toán.",
      rateLimited: "Bạn đã thử quá nhiều lần trong thời gian ngắn. {outcome} Vui lòng đợi một phút rồi thử lại.",
      notAccepted: "Không gửi được thông tin thẻ. {outcome} Vui lòng thử lại.",
      testCardsOnly: "Đây là chế độ thử nghiệm. {outcome} Vui lòng dùng một trong các thẻ thử nghiệm.",
      wiped: "Để bảo vệ bạn, thông tin thẻ đã được xóa sau mười phút.",
    },
    outcomes: { paying: "Bạn không bị trừ tiền.", saving: "Thẻ của bạn chưa được lưu." },
    results: {
      succeeded: {
        paying: ["Thanh toán thành công", "Cảm ơn bạn."],
        saving: ["Đã lưu thẻ", "Không có khoản tiền nào bị trừ."],
      },
      requires_confirmation: ["Thẻ đã được chấp nhận", "Cửa hàng đang hoàn tất đơn hàng của bạn."],
      processing: {
        paying: [
          "Đang chờ xác nhận",
          "Ngân hàng của bạn chưa phản hồi. Vui lòng không thanh toán lại: kết quả sẽ được hiển thị trên trang này.",
        ],
        saving: [
          "Đang chờ xác nhận",
          "Ngân hàng của bạn chưa phản hồi. Vui lòng không nhập lại thẻ: kết quả sẽ được hiển thị trên trang này.",
        ],
      },
      unknown: {
        paying: [
          "Chưa rõ kết quả",
          "Mất kết nối trong khi thanh toán. Vui lòng không thanh toán lại cho đến khi trang này kiểm tra xong.",
        ],
        saving: [
          "Chưa rõ kết quả",
          "Mất kết nối trong khi lưu thẻ. Vui lòng không làm lại từ đầu cho đến khi trang này kiểm tra xong.",
        ],
      },
    },
    checkAgain: "Kiểm tra lại",
    continueTo: "Tiếp tục đến {merchant}",
    takingYouBack: "Đang đưa bạn trở lại {merchant}…",
  },
  after: {
    declined: {
      declined: "Thẻ này bị từ chối. {outcome} Vui lòng kiểm tra thông tin thẻ hoặc dùng thẻ khác.",
      insufficient_funds: "Thẻ không đủ số dư hoặc hạn mức. {outcome} Vui lòng dùng thẻ khác.",
      expired_card: "Thẻ này đã hết hạn. {outcome} Vui lòng dùng thẻ khác.",
      check_card: "Ngân hàng của bạn không chấp nhận thông tin này. {outcome} Vui lòng kiểm tra và thử lại.",
      authentication_failed:
        "Ngân hàng không xác thực được rằng bạn là chủ thẻ. {outcome} Vui lòng thử lại hoặc dùng thẻ khác.",
      authentication_canceled: "Bạn đã hủy giao dịch. {outcome}",
      authentication_timed_out: "Quá thời gian xác thực với ngân hàng. {outcome} Vui lòng thử lại.",
      duplicate:
        "Một khoản thanh toán giống hệt vừa được gửi và có thể đã thành công. Vui lòng hỏi cửa hàng hoặc ngân hàng trước khi thanh toán lại.",
      try_again: "Hiện không thể xử lý giao dịch. {outcome} Vui lòng thử lại sau ít phút.",
    },
    attemptsLeft: { other: "Bạn còn {count} lần thử." },
    results: {
      expired: [
        "Trang này đã hết hạn",
        "Đã hết thời gian thực hiện. {outcome} Vui lòng quay lại cửa hàng để bắt đầu lại.",
      ],
      canceled: ["Cửa hàng đã hủy giao dịch này", "{outcome} Vui lòng quay lại cửa hàng để bắt đầu lại."],
      ended: ["Bạn đã hết lượt thử", "{outcome} Vui lòng quay lại cửa hàng để bắt đầu lại."],
    },
    confirmTitle: { paying: "Kiểm tra trước khi thanh toán", saving: "Kiểm tra trước khi lưu" },
    confirmText: {
      paying:
        "Chúng tôi không xác định được biểu mẫu này có hiển thị đầy đủ hay không. Vui lòng kiểm tra xem cửa hàng và số tiền có đúng không.",
      saving:
        "Chúng tôi không xác định được biểu mẫu này có hiển thị đầy đủ hay không. Vui lòng kiểm tra xem cửa hàng có đúng không.",
    },
    confirmPay: "Đồng ý trả {amount}",
    confirmSave: "Đồng ý lưu thẻ",
    confirmBack: "Quay lại",
    tax: "Thuế",
    expiring: "Trang này sắp hết hạn. Thời gian còn lại: {time}",
    receiptAmount: "Số tiền",
    receiptDate: "Ngày",
    receiptReference: "Mã tham chiếu",
    bankTitle: "Xác thực với ngân hàng",
    bankFrame: "Trang của ngân hàng",
    bankOpened: "Ngân hàng cần xác nhận rằng chính bạn đang thực hiện giao dịch.",
    bankOpening: "Đang mở trang của ngân hàng…",
    bankSlow: "Trang của ngân hàng phản hồi chậm. Bạn có thể chờ thêm, hoặc hủy và dùng thẻ khác.",
    bankTrouble: "Bạn gặp sự cố? Nếu trang vẫn trống hoặc không nhận được mã, hãy hủy và dùng thẻ khác.",
    bankConfirming: "Đang chờ ngân hàng phản hồi…",
    decoupledTitle: "Xác nhận trong ứng dụng ngân hàng",
    decoupledText: "Mở ứng dụng ngân hàng của bạn và xác nhận tại đó. Trang này sẽ tự động tiếp tục.",
    cancel: "Hủy",
    cancelQuestion: "Bạn muốn hủy?",
    cancelNo: "Tiếp tục",
    cancelYes: "Có, hủy",
    canceling: "Đang hủy…",
  },
} satisfies Language;
