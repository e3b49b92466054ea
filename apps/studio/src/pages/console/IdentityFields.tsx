import { Select, useTranslation } from "@purse/ui";
import { UserCombobox } from "../../components/Combobox.tsx";
import type { Identity } from "./consoleRequest.ts";

export interface IdentityFieldsProps {
  /** Undefined for a user that has not been selected yet: nothing can be sent. */
  value: Identity | undefined;
  onChange: (as: Identity | undefined) => void;
}

/** Chooses who sends a request. The master key itself stays on the server. */
export function IdentityFields({ value, onChange }: IdentityFieldsProps) {
  const { t } = useTranslation();
  const kind = value === "" ? "master" : value === "anonymous" ? "anonymous" : "user";
  return (
    <>
      <Select
        label={t("Send as")}
        value={kind}
        onChange={(chosen) => onChange({ master: "", anonymous: "anonymous", user: undefined }[chosen])}
        options={{ master: t("Master key"), anonymous: t("Anonymous client"), user: t("User") }}
      />
      {kind === "user" && (
        <UserCombobox
          label={t("User")}
          placeholder={t("Select a user")}
          value={value ?? ""}
          onChange={(userId) => onChange(userId === "" ? undefined : userId)}
        />
      )}
    </>
  );
}
