/**
 * What a merchant's developers set for the whole account, and how far they have come.
 *
 * - An `account` says which hosts its sessions may send customers to (none: any), and how its pages look where a
 *   session says nothing of it.
 * - `first_used_at` and `first_success_at` are written once and stay: the dashboard's checklist asks for them by the
 *   row.
 */
export const accountSettings = `
  alter table account
    add column return_url_hosts text[] not null default '{}',
    add column appearance jsonb;

  alter table api_key add column first_used_at timestamptz;
  update api_key set first_used_at = last_used_at;

  alter table webhook_endpoint add column first_success_at timestamptz;
`;
