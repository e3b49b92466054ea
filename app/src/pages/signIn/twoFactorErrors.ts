/** Whether an error of signing in says that the account has a second factor, or that its code was wrong. */
export function needsTwoFactorCode(error: unknown): boolean {
  return error instanceof Error && /additional authData mfa|Invalid MFA token/.test(error.message);
}

export function isWrongCode(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Invalid MFA token");
}
