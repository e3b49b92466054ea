import type { User } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import { useMoralis } from "@purse/react";
import {
  Button,
  type DataField,
  DataSourceProvider,
  ErrorState,
  explain,
  Field,
  Status,
  useForm,
  useToast,
  useTranslation,
  useUnsaved,
} from "@purse/ui";
import { useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { stringField } from "../../components/stringField.ts";
import { isRandomUsername } from "../../wallet/userNames.ts";
import { FieldInputList } from "../data/FieldInputList.tsx";
import { toJson, toValues, typeOf } from "../data/recordValues.ts";
import { useClientDataSource } from "../data/useClientDataSource.ts";
import { useFieldInputs } from "../data/useFieldInputs.ts";
import { useInputErrors } from "../signIn/useInputErrors.ts";
import { ProfilePicture } from "./ProfilePicture.tsx";

/** Built-in fields that are edited elsewhere. */
const BUILT_IN_FIELDS: readonly string[] = [
  "objectId",
  "username",
  "displayName",
  "picture",
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

const SCHEMA = z.object({
  username: z.string().check(z.refine((text) => text.trim() !== "", "Enter a username.")),
  displayName: z.string(),
  email: z.string(),
});

const FIELDS = ["username", "displayName", "email"] as const;

export function Profile({ user }: { user: User }) {
  const { t } = useTranslation();
  const { setUserData, isUserUpdating, userError } = useMoralis();
  const toast = useToast();
  const saved = {
    username: stringField(user.get("username")),
    displayName: stringField(user.get("displayName")),
    email: stringField(user.get("email")),
  };
  const form = useForm(SCHEMA, saved);
  const inputErrors = useInputErrors(userError, form.values);
  const source = useClientDataSource();
  const row = toJson(user);
  const inputs = useFieldInputs(customFieldsOf(row), row);
  const { username, displayName, email } = form.values;
  useUnsaved(
    inputs.isEdited ||
      username !== saved.username ||
      displayName.trim() !== saved.displayName ||
      email !== saved.email,
  );
  // What another device has saved appears where nothing was entered here.
  const before = useRef(saved);
  useEffect(() => {
    // While it is being saved, the user has what was entered.
    if (isUserUpdating) return;
    for (const name of FIELDS) {
      if (saved[name] === before.current[name]) continue;
      if (form.values[name] === before.current[name]) form.set(name, saved[name]);
    }
    before.current = saved;
    if (JSON.stringify(row) !== JSON.stringify(inputs.base)) inputs.rebase(row);
  });
  async function save({ username, displayName, email }: z.infer<typeof SCHEMA>, custom: JsonObject) {
    const isNameNew = displayName.trim() !== saved.displayName;
    const isEmailNew = email !== saved.email;
    // An empty address removes the saved one.
    if (isEmailNew && email === "") user.unset("email");
    for (const name of Object.keys(custom)) if (custom[name] === null) user.unset(name);
    const updated = await setUserData({
      username,
      ...(isNameNew && { displayName: displayName.trim() }),
      ...(isEmailNew && email !== "" && { email }),
      ...toValues("_User", custom),
    });
    if (!updated) return;
    inputs.rebase(toJson(user));
    toast(t("Profile saved"));
  }
  return (
    <form
      className="card stack narrow"
      onSubmit={(event) => {
        const custom = inputs.parse();
        form.submit((values) => custom && void save(values, custom))(event);
      }}
      noValidate
      aria-label={t("Profile")}
    >
      <h2>{t("Profile")}</h2>
      <ProfilePicture user={user} />
      <Field
        label={t("Display name")}
        autoComplete="nickname"
        {...form.input("displayName")}
        hint={t("What this app calls you. Visible to everyone.")}
      />
      <Field
        label={t("Username")}
        autoComplete="username"
        {...form.input("username")}
        {...inputErrors.of("username")}
        hint={
          isRandomUsername(saved.username)
            ? t("Visible to everyone. The server chose it; enter one that people can read.")
            : t("Visible to everyone.")
        }
      />
      <Field
        label={t("Email")}
        type="email"
        autoComplete="email"
        {...form.input("email")}
        {...inputErrors.of("email")}
        hint={t("Only visible to you.")}
      />
      <EmailVerification user={user} />
      <details className="stack" open={inputs.fields.length > 0}>
        <summary>{t("Additional fields")}</summary>
        <div className="stack tight">
          <DataSourceProvider value={source}>
            <FieldInputList inputs={inputs} canAddFields reservedNames={BUILT_IN_FIELDS} />
          </DataSourceProvider>
          <p className="soft small">{t("These fields are public.")}</p>
        </div>
      </details>
      {inputErrors.other ? <ErrorState error={inputErrors.other} /> : null}
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

function customFieldsOf(row: JsonObject): DataField[] {
  return Object.entries(row).flatMap(([name, value]): DataField[] => {
    const type = typeOf(value);
    return type && !BUILT_IN_FIELDS.includes(name) ? [{ name, ...type }] : [];
  });
}
