import { useState } from "react";
import { Select } from "../../../design/Choice.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { UserFinder } from "../parts/Finder.tsx";

export interface AddWhoProps {
  title: string;
  about: string;
  /** Those that are not there yet. */
  choices: readonly { key: string; label: string }[];
  taken: readonly string[];
  onClose: () => void;
  onAdd: (key: string) => void;
}

const USER = "user";

/** One more for whom something is said: a role, a field, a user. */
export function AddWho({ title, about, choices, taken, onClose, onAdd }: AddWhoProps) {
  const { t } = useTranslation();
  const [key, setKey] = useState(choices[0]?.key ?? USER);
  const [user, setUser] = useState("");
  const isTaken = key === USER && taken.includes(user);
  return (
    <Ask
      open
      onClose={onClose}
      title={title}
      about={about}
      verb={t("Add")}
      busy={false}
      disabled={key === USER && (user === "" || isTaken)}
      onDo={() => {
        onAdd(key === USER ? user : key);
        onClose();
      }}
    >
      <Select
        label={t("Who")}
        value={key}
        onChange={setKey}
        options={[...choices, { key: USER, label: t("One user") }]}
      />
      {key === USER && (
        <UserFinder
          label={t("User")}
          hint={isTaken ? t("Is there already.") : t("Type the beginning of a username, or an id.")}
          value={user}
          onChange={setUser}
        />
      )}
    </Ask>
  );
}
