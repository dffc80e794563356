/**
 * The eleventh version of the schema: how the refund of a late approval is sent.
 *
 * `sent_as_refund` says whether the first request was a refund, or one that cancels or refunds, because its repetitions
 * must be the same. That depends on the acquirer account's settings, which can change in between. It's recorded before the
 * first request, and null for all other attempts, and for those that an earlier version has sent.
 *
 * Processes of the tenth version can run meanwhile. They follow the current settings.
 */
export const sentAsRefund = /* sql */ `
  alter table attempt add column sent_as_refund boolean;
`;
