export const ACCOUNT_TABS = ["profile", "security", "sessions", "data"] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];
