/**
 * An index for finding a user's open invitations to all teams. Processes of the earlier versions can run meanwhile. They
 * never look for invitations by email address alone.
 */
export const invitationsByEmail = /* sql */ `
  create index invitation_by_email on invitation (email) where accepted_at is null and revoked_at is null;
`;
