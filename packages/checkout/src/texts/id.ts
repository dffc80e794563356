/** Indonesian. */
import type { Language } from "./texts.ts";

export default {
  first: {
    title: "Pembayaran aman",
    cardNumber: "Nomor kartu",
    expiry: "Masa berlaku",
    expiryPlaceholder: "BB / TT",
    cvc: "CVV",
    pay: "Bayar",
    encrypted: "Dienkripsi di perangkat ini",
    test: "UJI COBA",
    unreachable: [
      "Tidak ada koneksi",
      "Kami tidak dapat menghubungi layanan pembayaran. Tidak ada data yang terkirim. Periksa koneksi Anda, lalu coba lagi.",
    ],
    retry: "Coba lagi",
    needsScript: "Aktifkan JavaScript untuk membayar di sini.",
  },
  form: {
    savingTitle: "Simpan kartu",
    name: "Nama pada kartu",
    email: "Email",
    postalCode: "Kode pos",
    networkChoice: "Bayar dengan: {networks}",
    orderDetails: "Detail pesanan",
    total: "Total",
    payAmount: "Bayar {amount}",
    save: "Simpan kartu",
    alsoSaved: "{merchant} akan menyimpan kartu ini untuk pembayaran berikutnya.",
    onlySaved: "Tidak ada dana yang didebit sekarang. {merchant} akan menyimpan kartu ini untuk pembayaran berikutnya.",
    backTo: "Kembali ke {merchant}",
    invalid: [
      "Kembali ke toko",
      "Pembayaran tidak bisa dilakukan langsung dari halaman ini. Mulai lagi dari halaman checkout toko.",
    ],
    unsupported: [
      "Versi browser ini terlalu lama",
      "Untuk membayar dengan aman, perbarui browser Anda atau buka toko di browser lain.",
    ],
    sandboxed: [
      "Formulir ini tidak dapat digunakan di sini",
      "Pengaturan keamanan situs web ini memblokirnya. Tidak ada data yang terkirim. Hubungi toko.",
    ],
    problems: {
      numberMissing: "Masukkan nomor kartu Anda.",
      numberIncomplete: "Nomor kartu ini terlalu pendek.",
      numberWrong: "Periksa nomor kartu: sepertinya ada angka yang salah.",
      expiryMissing: "Masukkan masa berlaku kartu.",
      expiryIncomplete: "Masukkan bulan dan tahun, misalnya 04 / 29.",
      expiryPast: "Masa berlaku kartu ini sudah habis.",
      expiryFar: "Periksa tahunnya.",
      cvcMissing: "Masukkan kode CVV.",
      cvcIncomplete3: "Kode terdiri dari 3 angka di bagian belakang kartu.",
      cvcIncomplete4: "Kode terdiri dari 4 angka di bagian depan kartu.",
      nameMissing: "Masukkan nama yang tertera di kartu.",
      nameWrong: "Periksa namanya.",
      emailMissing: "Masukkan alamat email Anda.",
      emailWrong: "Periksa alamat email, misalnya nama@example.com.",
      postalCodeMissing: "Masukkan kode pos Anda.",
      postalCodeWrong: "Periksa kode posnya.",
    },
    steps: {
      submitting: "Mengirim…",
      authenticating: "Memeriksa ke bank Anda…",
      confirming: "Mengonfirmasi…",
      reconnecting: "Menghubungkan kembali…",
    },
    notices: {
      connectionLost: {
        paying:
          "Koneksi terputus. Kami sedang memeriksa apakah pembayaran Anda berhasil. Untuk saat ini, jangan membayar lagi.",
        saving:
          "Koneksi terputus. Kami sedang memeriksa apakah kartu Anda tersimpan. Untuk saat ini, jangan mengirimnya lagi.",
      },
      notStarted: "Koneksi terputus. {outcome} Anda bisa mencoba lagi.",
      orderChanged: "Pesanan Anda telah berubah. {outcome} Periksa totalnya sebelum membayar.",
      rateLimited: "Terlalu banyak percobaan dalam waktu singkat. {outcome} Tunggu satu menit, lalu coba lagi.",
      notAccepted: "Data kartu tidak dapat dikirim. {outcome} Silakan coba lagi.",
      testCardsOnly: "Ini mode uji coba: gunakan salah satu kartu uji coba. {outcome}",
      wiped: "Demi keamanan Anda, data kartu dihapus setelah sepuluh menit.",
    },
    outcomes: {
      paying: "Tidak ada dana yang didebit.",
      saving: "Kartu Anda tidak disimpan.",
    },
    results: {
      succeeded: {
        paying: ["Pembayaran berhasil", "Terima kasih."],
        saving: ["Kartu tersimpan", "Tidak ada dana yang didebit."],
      },
      requires_confirmation: ["Kartu diterima", "Toko sedang menyelesaikan pesanan Anda."],
      processing: {
        paying: [
          "Menunggu konfirmasi",
          "Bank Anda belum merespons. Jangan membayar lagi: hasilnya akan muncul di halaman ini.",
        ],
        saving: [
          "Menunggu konfirmasi",
          "Bank Anda belum merespons. Jangan memasukkan kartu lagi: hasilnya akan muncul di halaman ini.",
        ],
      },
      unknown: {
        paying: [
          "Hasilnya belum diketahui",
          "Koneksi terputus saat Anda membayar. Jangan membayar lagi sebelum halaman ini selesai memeriksa.",
        ],
        saving: [
          "Hasilnya belum diketahui",
          "Koneksi terputus saat kartu Anda disimpan. Jangan memulai lagi sebelum halaman ini selesai memeriksa.",
        ],
      },
    },
    checkAgain: "Periksa lagi",
    continueTo: "Lanjutkan ke {merchant}",
    takingYouBack: "Mengarahkan Anda kembali ke {merchant}…",
  },
  after: {
    declined: {
      declined: "Kartu ini ditolak. {outcome} Periksa data kartu atau gunakan kartu lain.",
      insufficient_funds: "Saldo atau limit kartu ini tidak cukup. {outcome} Coba kartu lain.",
      expired_card: "Masa berlaku kartu ini sudah habis. {outcome} Coba kartu lain.",
      check_card: "Bank Anda tidak menerima data ini. {outcome} Periksa datanya, lalu coba lagi.",
      authentication_failed:
        "Bank Anda tidak dapat memastikan bahwa ini benar Anda. {outcome} Coba lagi atau gunakan kartu lain.",
      authentication_canceled: "Anda membatalkan verifikasi. {outcome}",
      authentication_timed_out: "Verifikasi di bank Anda terlalu lama. {outcome} Silakan coba lagi.",
      duplicate:
        "Pembayaran yang sama baru saja dikirim dan mungkin sudah berhasil. Tanyakan kepada toko atau bank Anda sebelum membayar lagi.",
      try_again: "Saat ini transaksi tidak dapat diproses. {outcome} Coba lagi dalam beberapa saat.",
    },
    attemptsLeft: {
      other: "Anda bisa mencoba {count} kali lagi.",
    },
    results: {
      expired: ["Halaman ini sudah kedaluwarsa", "Waktunya habis. {outcome} Kembali ke toko untuk memulai lagi."],
      canceled: ["Dibatalkan oleh toko", "{outcome} Kembali ke toko untuk memulai lagi."],
      ended: ["Kesempatan mencoba habis", "{outcome} Kembali ke toko untuk memulai lagi."],
    },
    confirmTitle: {
      paying: "Periksa sebelum membayar",
      saving: "Periksa sebelum menyimpan",
    },
    confirmText: {
      paying: "Kami tidak dapat memastikan bahwa formulir ini terlihat seluruhnya. Pastikan toko dan jumlahnya benar.",
      saving: "Kami tidak dapat memastikan bahwa formulir ini terlihat seluruhnya. Pastikan tokonya benar.",
    },
    confirmPay: "Ya, bayar {amount}",
    confirmSave: "Ya, simpan kartu",
    confirmBack: "Kembali",
    tax: "Pajak",
    expiring: "Halaman ini akan segera kedaluwarsa. Sisa waktu: {time}",
    receiptAmount: "Jumlah",
    receiptDate: "Tanggal",
    receiptReference: "Nomor referensi",
    bankTitle: "Konfirmasi di bank Anda",
    bankFrame: "Halaman bank Anda",
    bankOpened: "Bank Anda ingin memastikan bahwa ini benar Anda.",
    bankOpening: "Membuka halaman bank Anda…",
    bankSlow: "Halaman bank Anda lambat dimuat. Anda bisa menunggu, atau membatalkan dan memakai kartu lain.",
    bankTrouble: "Ada kendala? Jika halaman tetap kosong atau kode tidak kunjung masuk, batalkan dan coba kartu lain.",
    bankConfirming: "Menunggu jawaban bank Anda…",
    decoupledTitle: "Setujui di aplikasi bank Anda",
    decoupledText: "Buka aplikasi bank Anda dan setujui di sana. Halaman ini akan berlanjut otomatis.",
    cancel: "Batalkan",
    cancelQuestion: "Batalkan?",
    cancelNo: "Lanjutkan",
    cancelYes: "Ya, batalkan",
    canceling: "Membatalkan…",
  },
} satisfies Language;
