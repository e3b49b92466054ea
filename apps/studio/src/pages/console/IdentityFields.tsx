import { Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import { UserCombobox } from "../../components/Combobox.tsx";
import type { Identity } from "./consoleRequest.ts";

/** Chooses who sends a request. The master key itself stays on the server. */
export function IdentityFields({ value, onChange }: { value: Identity; onChange: (as: Identity) => void }) {
  const { t } = useTranslation();
  const [isPicking, setPicking] = useState(false);
  const kind = value === "anonymous" ? "anonymous" : value !== "" || isPicking ? "user" : "master";
  return (
    <>
      <Select
        label={t("Send as")}
        value={kind}
        onChange={(chosen) => {
          setPicking(chosen === "user");
          onChange(chosen === "anonymous" ? chosen : "");
        }}
        options={[
          { key: "master", label: t("Master key") },
          { key: "anonymous", label: t("Anonymous client") },
          { key: "user", label: t("User") },
        ]}
      />
      {kind === "user" && (
        <UserCombobox label={t("User")} placeholder={t("Select a user")} value={value} onChange={onChange} />
      )}
    </>
  );
}
