/** The numbers by which EMV 3DS messages call the currencies of `currency.ts`: ISO 4217, three digits. */

const currencies = `
  aed784 afn971 all008 amd051 aoa973 ars032 aud036 awg533 azn944 bam977 bbd052 bdt050 bhd048 bif108 bmd060 bnd096
  bob068 bov984 brl986 bsd044 btn064 bwp072 byn933 bzd084 cad124 cdf976 che947 chf756 chw948 clf990 clp152 cny156
  cop170 cou970 crc188 cup192 cve132 czk203 djf262 dkk208 dop214 dzd012 egp818 ern232 etb230 eur978 fjd242 fkp238
  gbp826 gel981 ghs936 gip292 gmd270 gnf324 gtq320 gyd328 hkd344 hnl340 htg332 huf348 idr360 ils376 inr356 iqd368
  irr364 isk352 jmd388 jod400 jpy392 kes404 kgs417 khr116 kmf174 kpw408 krw410 kwd414 kyd136 kzt398 lak418 lbp422
  lkr144 lrd430 lsl426 lyd434 mad504 mdl498 mga969 mkd807 mmk104 mnt496 mop446 mru929 mur480 mvr462 mwk454 mxn484
  mxv979 myr458 mzn943 nad516 ngn566 nio558 nok578 npr524 nzd554 omr512 pab590 pen604 pgk598 php608 pkr586 pln985
  pyg600 qar634 ron946 rsd941 rub643 rwf646 sar682 sbd090 scr690 sdg938 sek752 sgd702 shp654 sle925 sos706 srd968
  ssp728 stn930 svc222 syp760 szl748 thb764 tjs972 tmt934 tnd788 top776 try949 ttd780 twd901 tzs834 uah980 ugx800
  usd840 usn997 uyi940 uyu858 uyw927 uzs860 ved926 ves928 vnd704 vuv548 wst882 xad396 xaf950 xcd951 xcg532 xof952
  xpf953 yer886 zar710 zmw967 zwg924
`;

const numbers: ReadonlyMap<string, string> = new Map(
  currencies
    .trim()
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 3), entry.slice(3)]),
);

/**
 * The ISO 4217 number of a currency.
 *
 * @param code lower case, such as `"eur"`
 * @returns three digits, such as `"978"`
 * @throws RangeError for a code that `isCurrency` refuses
 */
export function currencyNumber(code: string): string {
  const number = numbers.get(code);
  if (number === undefined) throw new RangeError(`Unknown currency "${code}"`);
  return number;
}

/** The code of a number, lower case; undefined for what is no currency's that can be charged in. */
export function currencyOfNumber(number: string): string | undefined {
  return [...numbers].find(([, known]) => known === number)?.[0];
}
