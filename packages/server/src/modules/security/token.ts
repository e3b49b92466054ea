import { token } from "@purse/kernel";

export interface SecurityReport {
  /** Whether Parse Dashboard may read it. */
  isEnabled: boolean;
}

export const SECURITY_REPORT = token<SecurityReport>("securityReport");
