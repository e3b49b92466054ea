import type { User } from "@purse/client";
import { useMoralis, useSessions } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { providerOf } from "./device.ts";
import { textOf } from "./textOf.ts";

/** Sets or changes the password, and says which sessions end by it. */
export function Password({ user }: { user: User }) {
  const { t, count } = useTexts();
  const { Moralis, setUserData, isUserUpdating } = useMoralis();
  const { sessions, fetch } = useSessions();
  const toast = useToast();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [tried, setTried] = useState(false);
  const [isChecking, setIsChecking] = useState(false);
  const [error, setError] = useState<unknown>();
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;
  // People who came with a wallet may never have had a password.
  const own = sessions.find(({ isCurrent }) => isCurrent);
  const needsCurrent = own === undefined || providerOf(own) === "password";

  async function save(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    setError(undefined);
    if (next === "" || (needsCurrent && current === "")) return;
    setIsChecking(true);
    try {
      if (current !== "") await Moralis.User.verifyPassword(textOf(user.get("username")), current);
    } catch (problem) {
      setError(problem);
      return;
    } finally {
      setIsChecking(false);
    }
    const saved = await setUserData({ password: next }, { onError: setError });
    if (!saved) return;
    setCurrent("");
    setNext("");
    setTried(false);
    toast(t("Your password is set"));
    void fetch();
  }

  return (
    <form className="card stack" onSubmit={(event) => void save(event)} noValidate aria-label={t("Password")}>
      <h2>{t("Password")}</h2>
      <input type="text" autoComplete="username" value={textOf(user.get("username"))} readOnly hidden />
      <Field
        label={needsCurrent ? t("Current password") : t("Current password, if you have one")}
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
        problem={tried && needsCurrent && current === "" ? t("Enter your current password.") : undefined}
      />
      <Field
        label={t("New password")}
        type="password"
        autoComplete="new-password"
        value={next}
        onChange={(event) => setNext(event.target.value)}
        problem={tried && next === "" ? t("Enter a new password.") : undefined}
      />
      <p className="soft small">
        {others === 0
          ? t("You stay signed in here; there is no other session.")
          : count(
              others,
              "You stay signed in here; {n} other session ends.",
              "You stay signed in here; the {n} other sessions end.",
            )}
      </p>
      {error !== undefined && <ErrorState error={error} />}
      <div>
        <Button type="submit" busy={isUserUpdating || isChecking}>
          {t("Set the password")}
        </Button>
      </div>
    </form>
  );
}
