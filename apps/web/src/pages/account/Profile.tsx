import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, ErrorState, explain, Field, Status, useToast, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { NewField } from "../data/NewField.tsx";
import { ValueEditor } from "../data/ValueEditor.tsx";
import { parseValue, toDraft, typeOf, type ValueDraft } from "../data/values.ts";
import { stringField } from "./stringField.ts";

/** Built-in fields that are edited elsewhere. */
const BUILT_IN_FIELDS: readonly string[] = [
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

interface CustomField {
  name: string;
  draft: ValueDraft;
  /** The saved value; undefined for a new field. */
  before: ValueDraft | undefined;
}

export function Profile({ user }: { user: User }) {
  const { t, language } = useTranslation();
  const { setUserData, isUserUpdating, userError } = useMoralis();
  const toast = useToast();
  const [username, setUsername] = useState(stringField(user.get("username")));
  const [email, setEmail] = useState(stringField(user.get("email")));
  const [customFields, setCustomFields] = useState<readonly CustomField[]>(() =>
    customFieldsOf(user, language),
  );
  const [problems, setProblems] = useState<Readonly<{ [name: string]: string }>>({});
  async function save(event: FormEvent) {
    event.preventDefault();
    const errors: { [name: string]: string } = {};
    const changed: { [name: string]: unknown } = {};
    if (username.trim() === "") errors.username = t("Enter a username.");
    for (const { name, draft, before } of customFields) {
      if (before && before.text === draft.text && before.file === draft.file) continue;
      const read = parseValue(draft, language);
      if ("problem" in read) errors[name] = read.problem;
      else changed[name] = read.value;
    }
    setProblems(errors);
    if (Object.keys(errors).length > 0) return;
    const isEmailNew = email !== stringField(user.get("email"));
    // An empty address removes the saved one.
    if (isEmailNew && email === "") user.unset("email");
    const saved = await setUserData({ username, ...(isEmailNew && email !== "" && { email }), ...changed });
    if (!saved) return;
    setCustomFields(customFields.map((extra) => ({ ...extra, before: extra.draft })));
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
        hint={t("Visible to everyone.")}
        problem={problems.username}
      />
      <Field
        label={t("Email")}
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        hint={t("Only visible to you.")}
      />
      <EmailVerification user={user} />
      {customFields.length > 0 && <h3>{t("Additional fields")}</h3>}
      {customFields.map((extra) => (
        <ValueEditor
          key={extra.name}
          label={extra.name}
          draft={extra.draft}
          problem={problems[extra.name]}
          onChange={(draft) =>
            setCustomFields(
              customFields.map((each) => (each.name === extra.name ? { ...each, draft } : each)),
            )
          }
        />
      ))}
      <NewField
        existingNames={[...BUILT_IN_FIELDS, ...customFields.map(({ name }) => name)]}
        onAdd={(name, type) =>
          setCustomFields([
            ...customFields,
            { name, draft: toDraft(undefined, type, language), before: undefined },
          ])
        }
      />
      <p className="soft small">{t("These fields are public.")}</p>
      {userError ? <ErrorState error={userError} /> : null}
      <div>
        <Button type="submit" variant="primary" busy={isUserUpdating}>
          {t("Save profile")}
        </Button>
      </div>
    </form>
  );
}

/** Shows whether the email address is verified, if the server requires it. */
function EmailVerification({ user }: { user: User }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const email = stringField(user.get("email"));
  const isVerified: unknown = user.get("emailVerified");
  if (email === "" || typeof isVerified !== "boolean") return null;
  if (isVerified) return <Status kind="ok">{t("Email verified")}</Status>;
  async function send() {
    setBusy(true);
    try {
      await Moralis.User.requestEmailVerification(email);
      toast(t("Verification email sent"));
    } catch (error) {
      toast(explain(error, t).detail);
    } finally {
      setBusy(false);
    }
  }
  return (
    <span className="row">
      <Status kind="warning">{t("Not verified")}</Status>
      <Button small busy={busy} onClick={() => void send()}>
        {t("Resend verification email")}
      </Button>
    </span>
  );
}

function customFieldsOf(user: User, locale: string): CustomField[] {
  return Object.entries(user.attributes).flatMap(([name, value]: [string, unknown]): CustomField[] => {
    const type = typeOf(value);
    if (BUILT_IN_FIELDS.includes(name) || !type) return [];
    const draft = toDraft(value, type, locale);
    return [{ name, draft, before: draft }];
  });
}
