import { useMoralis } from "@purse/react";
import { Button, ErrorState, Field, useToast, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { isRandomUsername } from "../../wallet/userNames.ts";

/** Set once a user has declined to choose a name. */
const DECLINED_KEY = "purse/name-declined";
const MAX_LENGTH = 40;

/** Asks users who signed in with a wallet what the app should call them, until they choose a name or decline. */
export function NamePrompt() {
  const { t } = useTranslation();
  const { user, setUserData, isUserUpdating } = useMoralis();
  const toast = useToast();
  const [name, setName] = useState("");
  const [error, setError] = useState<unknown>();
  const [isDeclined, setDeclined] = useState(() => localStorage.getItem(DECLINED_KEY) !== null);
  const hasName = Boolean(user?.get("displayName")) || !isRandomUsername(String(user?.get("username")));
  if (user === null || hasName || isDeclined) return null;
  async function save(event: FormEvent) {
    event.preventDefault();
    const displayName = name.trim();
    if (displayName === "") return;
    setError(undefined);
    if (await setUserData({ displayName }, { onError: setError })) toast(t("Display name saved"));
  }
  return (
    <form className="card stack tight name-prompt" aria-label={t("Display name")} onSubmit={save}>
      <Field
        label={t("What should we call you?")}
        autoComplete="nickname"
        value={name}
        maxLength={MAX_LENGTH}
        hint={t("Shown instead of your address. Visible to everyone; you can change it in your account.")}
        onText={setName}
      />
      <div className="row">
        <Button type="submit" busy={isUserUpdating} disabled={name.trim() === ""}>
          {t("Set name")}
        </Button>
        <Button
          variant="quiet"
          onClick={() => {
            localStorage.setItem(DECLINED_KEY, "1");
            setDeclined(true);
          }}
        >
          {t("Not now")}
        </Button>
      </div>
      {error !== undefined && <ErrorState error={error} />}
    </form>
  );
}
