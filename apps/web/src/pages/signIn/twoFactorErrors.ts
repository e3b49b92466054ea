/** Whether a sign-in error requires a two-factor code or reports a wrong one. */
export function needsTwoFactorCode(error: unknown): boolean {
  return error instanceof Error && /additional authData mfa|Invalid MFA token/.test(error.message);
}

export function isWrongCode(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Invalid MFA token");
}
