import { useTranslation } from "@purse/ui";

/** The words for common permissions, which the server knows. */
export const ACCESS_PRESETS = [
  "closed",
  "publicRead",
  "usersRead",
  "usersOwn",
  "usersCreate",
  "publicCreate",
  "open",
] as const;

export type AccessPreset = (typeof ACCESS_PRESETS)[number];

/** The words with what they mean. */
export function useAccessPresets(): Readonly<Record<AccessPreset, string>> {
  const { t } = useTranslation();
  return {
    closed: t("Master key only"),
    publicRead: t("Public read"),
    usersRead: t("Authenticated read"),
    usersOwn: t("Users create, read and write their own"),
    usersCreate: t("Public read, users create and write their own"),
    publicCreate: t("Public create, no read"),
    open: t("Public read and write"),
  };
}
