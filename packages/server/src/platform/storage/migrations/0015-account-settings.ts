/**
 * Account-wide settings, and progress for the dashboard's setup checklist.
 *
 * - An `account` lists the hosts to which its sessions may send customers (empty: any host), and the default appearance
 *   for sessions that don't set one.
 * - `first_used_at` and `first_success_at` are written once and never cleared. The checklist reads them.
 */
export const accountSettings = `
  alter table account
    add column return_url_hosts text[] not null default '{}',
    add column appearance jsonb;

  alter table api_key add column first_used_at timestamptz;
  update api_key set first_used_at = last_used_at;

  alter table webhook_endpoint add column first_success_at timestamptz;
`;
