import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { Status } from "../../design/Status.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { explain } from "../../explain.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { NewField } from "../data/NewField.tsx";
import { ValueEditor } from "../data/ValueEditor.tsx";
import { parse, type Typed, typedOf, typeOf } from "../data/values.ts";
import { textOf } from "./textOf.ts";

/** Fields that every user has, and that have their own place. */
const OWN: readonly string[] = [
  "username",
  "email",
  "emailVerified",
  "password",
  "authData",
  "authDataResponse",
  "accounts",
  "ethAddress",
  "sessionToken",
  "ACL",
  "createdAt",
  "updatedAt",
];

interface Extra {
  name: string;
  typed: Typed;
  /** As the server has it; undefined where the field is new. */
  before: Typed | undefined;
}

export function Profile({ user }: { user: User }) {
  const { t, language } = useTexts();
  const { setUserData, isUserUpdating, userError } = useMoralis();
  const toast = useToast();
  const [username, setUsername] = useState(textOf(user.get("username")));
  const [email, setEmail] = useState(textOf(user.get("email")));
  const [extras, setExtras] = useState<readonly Extra[]>(() => extrasOf(user, language));
  const [problems, setProblems] = useState<Readonly<{ [name: string]: string }>>({});
  async function save(event: FormEvent) {
    event.preventDefault();
    const wrong: { [name: string]: string } = {};
    const changed: { [name: string]: unknown } = {};
    if (username.trim() === "") wrong.username = t("Enter a username.");
    for (const { name, typed, before } of extras) {
      if (before && before.text === typed.text && before.file === typed.file) continue;
      const read = parse(typed, language);
      if ("problem" in read) wrong[name] = read.problem;
      else changed[name] = read.value;
    }
    setProblems(wrong);
    if (Object.keys(wrong).length > 0) return;
    const isEmailNew = email !== textOf(user.get("email"));
    // An empty address takes the one there was away.
    if (isEmailNew && email === "") user.unset("email");
    const saved = await setUserData({ username, ...(isEmailNew && email !== "" && { email }), ...changed });
    if (!saved) return;
    setExtras(extras.map((extra) => ({ ...extra, before: extra.typed })));
    toast(t("Profile saved"));
  }
  return (
    <form
      className="card stack narrow"
      onSubmit={(event) => void save(event)}
      noValidate
      aria-label={t("Profile")}
    >
      <h2>{t("Profile")}</h2>
      <Field
        label={t("Username")}
        autoComplete="username"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        hint={t("Everyone sees it.")}
        problem={problems.username}
      />
      <Field
        label={t("E-mail")}
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        hint={t("Only you see it.")}
      />
      <Verification user={user} />
      {extras.length > 0 && <h3>{t("More about you")}</h3>}
      {extras.map((extra) => (
        <ValueEditor
          key={extra.name}
          label={extra.name}
          typed={extra.typed}
          problem={problems[extra.name]}
          onChange={(typed) =>
            setExtras(extras.map((each) => (each.name === extra.name ? { ...each, typed } : each)))
          }
        />
      ))}
      <NewField
        taken={[...OWN, ...extras.map(({ name }) => name)]}
        onAdd={(name, type) =>
          setExtras([...extras, { name, typed: typedOf(undefined, type, language), before: undefined }])
        }
      />
      <p className="soft small">{t("Others see these fields too.")}</p>
      {userError ? <ErrorState error={userError} /> : null}
      <div>
        <Button type="submit" look="primary" busy={isUserUpdating}>
          {t("Save profile")}
        </Button>
      </div>
    </form>
  );
}

/** Whether the address is proved, where the server asks for that. */
function Verification({ user }: { user: User }) {
  const { t } = useTexts();
  const { Moralis } = useMoralis();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const email = textOf(user.get("email"));
  const isVerified: unknown = user.get("emailVerified");
  if (email === "" || typeof isVerified !== "boolean") return null;
  if (isVerified) return <Status kind="ok">{t("The e-mail address is yours")}</Status>;
  async function send() {
    setBusy(true);
    try {
      await Moralis.User.requestEmailVerification(email);
      toast(t("Look into your mail: a new link is on its way"));
    } catch (error) {
      toast(explain(error, t).detail);
    } finally {
      setBusy(false);
    }
  }
  return (
    <span className="row">
      <Status kind="warning">{t("Not verified yet")}</Status>
      <Button small busy={busy} onClick={() => void send()}>
        {t("Send the link again")}
      </Button>
    </span>
  );
}

function extrasOf(user: User, locale: string): Extra[] {
  return Object.entries(user.attributes).flatMap(([name, value]: [string, unknown]): Extra[] => {
    const type = typeOf(value);
    if (OWN.includes(name) || !type) return [];
    const typed = typedOf(value, type, locale);
    return [{ name, typed, before: typed }];
  });
}
