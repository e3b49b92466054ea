import { ConfirmDialog, Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import { UserCombobox } from "../../components/Combobox.tsx";

export interface AddSubjectProps {
  title: string;
  description: string;
  /** Subjects that can be added. */
  choices: readonly { key: string; label: string }[];
  existingKeys: readonly string[];
  onClose: () => void;
  onAdd: (key: string) => void;
}

const USER_KEY = "user";

/** Adds a subject: a role, a field or a user. */
export function AddSubject({ title, description, choices, existingKeys, onClose, onAdd }: AddSubjectProps) {
  const { t } = useTranslation();
  const [key, setKey] = useState(choices[0]?.key ?? USER_KEY);
  const [user, setUser] = useState("");
  const isExisting = key === USER_KEY && existingKeys.includes(user);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title}
      description={description}
      confirmLabel={t("Add")}
      disabled={key === USER_KEY && (user === "" || isExisting)}
      onConfirm={() => {
        onAdd(key === USER_KEY ? user : key);
        onClose();
      }}
    >
      <Select
        label={t("Who")}
        value={key}
        onChange={setKey}
        options={[...choices, { key: USER_KEY, label: t("Specific user") }]}
      />
      {key === USER_KEY && (
        <UserCombobox
          label={t("User")}
          hint={isExisting ? t("Already added") : t("Search by username prefix or ID")}
          value={user}
          onChange={setUser}
        />
      )}
    </ConfirmDialog>
  );
}
