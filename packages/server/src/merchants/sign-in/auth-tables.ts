/** The names of better-auth's tables and columns in our database (`platform/storage/schema/sign-in.ts`). */

const times = { createdAt: "created_at", updatedAt: "updated_at" };

export const userTable = {
  modelName: "login",
  fields: { emailVerified: "email_verified", ...times },
  additionalFields: { pendingAccountName: { type: "string", required: false, fieldName: "pending_account_name" } },
} as const;

export const sessionTable = {
  modelName: "login_session",
  fields: { userId: "login_id", expiresAt: "expires_at", ipAddress: "ip_address", userAgent: "user_agent", ...times },
};

export const credentialTable = {
  modelName: "login_credential",
  fields: {
    userId: "login_id",
    accountId: "account_id",
    providerId: "provider_id",
    accessToken: "access_token",
    refreshToken: "refresh_token",
    idToken: "id_token",
    accessTokenExpiresAt: "access_token_expires_at",
    refreshTokenExpiresAt: "refresh_token_expires_at",
    ...times,
  },
};

export const verificationTable = { modelName: "login_verification", fields: { expiresAt: "expires_at", ...times } };

export const secondFactorTables = {
  user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
  twoFactor: {
    modelName: "login_second_factor",
    fields: {
      userId: "login_id",
      backupCodes: "backup_codes",
      failedVerificationCount: "failed_verification_count",
      lockedUntil: "locked_until",
    },
  },
};
