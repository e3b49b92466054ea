import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import * as z from "zod/mini";
import { Button } from "../components/Button.tsx";
import { EmptyState } from "../components/EmptyState.tsx";
import { Field } from "../components/Field.tsx";
import { type QueryResult, QueryState } from "../components/QueryState.tsx";
import { RelativeTime } from "../components/RelativeTime.tsx";
import { SkeletonList } from "../components/Skeleton.tsx";
import { useToast } from "../components/Toasts.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { requiredText, secret } from "../forms/schemas.ts";
import { useForm } from "../forms/useForm.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";

/** A passkey in the list of its account. */
export interface PasskeyRow {
  id: string;
  name: string;
  createdAt: Date | string;
  lastUsedAt?: Date | string | undefined;
  /** Whether it can be copied to other devices, and whether it has been. */
  isSyncable: boolean;
  isBackedUp: boolean;
}

/** The proof that the owner of the account changes its passkeys; empty if none is required. */
interface PasskeyProof {
  password: string;
  /** A code of the second factor; empty to prove it by a passkey. */
  code: string;
}

export interface PasskeysProps {
  query: QueryResult<readonly PasskeyRow[]>;
  /** Whether the browser and the page can use passkeys. */
  isSupported: boolean;
  needsPassword?: boolean;
  needsCode?: boolean;
  add: (name: string, proof: PasskeyProof) => Promise<unknown>;
  rename: (id: string, name: string) => Promise<unknown>;
  remove: (id: string, password: string) => Promise<unknown>;
}

/** Lists the passkeys of an account; adds, renames and removes them. */
export function Passkeys(props: PasskeysProps) {
  const { t } = useTranslation();
  const [isAdding, setIsAdding] = useState(false);
  const [renaming, setRenaming] = useState<PasskeyRow>();
  const [removing, setRemoving] = useState<PasskeyRow>();
  const { query, isSupported } = props;
  return (
    <section className="card stack" aria-label={t("Passkeys")}>
      <h2>{t("Passkeys")}</h2>
      <p className="soft">
        {t("Sign in with your fingerprint, face, device PIN or a security key instead of a password.")}
      </p>
      <QueryState
        query={query}
        label={t("Loading passkeys")}
        skeleton={<SkeletonList rows={1} label={t("Loading passkeys")} />}
      >
        {(passkeys) =>
          passkeys.length === 0 ? (
            <EmptyState title={t("No passkeys yet")} />
          ) : (
            <ul className="list" aria-label={t("Passkeys")}>
              {passkeys.map((passkey) => (
                <li key={passkey.id} className="linked">
                  <PasskeyDetails passkey={passkey} />
                  <span className="row">
                    <Button
                      small
                      variant="quiet"
                      aria-label={t("Rename {name}", { name: passkey.name })}
                      onClick={() => setRenaming(passkey)}
                    >
                      {t("Rename")}
                    </Button>
                    <Button
                      small
                      variant="quiet"
                      aria-label={t("Remove {name}", { name: passkey.name })}
                      onClick={() => setRemoving(passkey)}
                    >
                      {t("Remove")}
                    </Button>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
      <div>
        <Button onClick={() => setIsAdding(true)} disabled={!isSupported}>
          {t("Add a passkey")}
        </Button>
      </div>
      {!isSupported && (
        <p className="soft small">{t("This browser or this page's address does not support passkeys.")}</p>
      )}
      {isAdding && <AddPasskey {...props} onClose={() => setIsAdding(false)} />}
      {renaming && <RenamePasskey {...props} passkey={renaming} onClose={() => setRenaming(undefined)} />}
      {removing && <RemovePasskey {...props} passkey={removing} onClose={() => setRemoving(undefined)} />}
    </section>
  );
}

function PasskeyDetails({ passkey }: { passkey: PasskeyRow }) {
  const { t } = useTranslation();
  const { name, createdAt, lastUsedAt, isSyncable, isBackedUp } = passkey;
  return (
    <div>
      <p className="row">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {isBackedUp ? (
          <span className="tag">{t("Synced")}</span>
        ) : (
          !isSyncable && <span className="tag">{t("This device only")}</span>
        )}
      </p>
      <p className="soft small row">
        <span>
          {t("added")} <RelativeTime at={createdAt} />
        </span>
        <span>
          {lastUsedAt === undefined ? (
            t("never used")
          ) : (
            <>
              {t("last used")} <RelativeTime at={lastUsedAt} />
            </>
          )}
        </span>
      </p>
    </div>
  );
}

type DialogProps = PasskeysProps & { onClose: () => void };

function AddPasskey({ add, query, needsPassword, needsCode, onClose }: DialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const schema = z.object({
    name: requiredText(),
    password: needsPassword ? secret() : z.string(),
    code: z.string(),
  });
  const form = useForm(schema, { name: "", password: "", code: "" });
  const addition = useMutation({
    async mutationFn({ name, ...proof }: z.infer<typeof schema>) {
      await add(name, { ...proof, code: proof.code.replace(/\s/g, "") });
      await query.refetch();
      toast(t("Passkey added"));
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("Add a passkey")}
      description={t("Your browser will ask you to confirm with your device or security key.")}
      confirmLabel={t("Continue")}
      form={form}
      mutation={addition}
    >
      <Field
        label={t("Name")}
        hint={t("To recognize it later, such as the name of the device")}
        {...form.input("name")}
        maxLength={100}
      />
      {needsPassword && (
        <Field
          label={t("Your password")}
          type="password"
          autoComplete="current-password"
          {...form.input("password")}
        />
      )}
      {needsCode && (
        <Field
          label={t("Code")}
          hint={t("Authenticator code or recovery code. Leave empty to use a passkey that you have.")}
          autoComplete="one-time-code"
          {...form.input("code")}
        />
      )}
    </FormDialog>
  );
}

const NAME = z.object({ name: requiredText() });

function RenamePasskey({ rename, query, passkey, onClose }: DialogProps & { passkey: PasskeyRow }) {
  const { t } = useTranslation();
  const form = useForm(NAME, { name: passkey.name });
  const renaming = useMutation({
    async mutationFn({ name }: z.infer<typeof NAME>) {
      await rename(passkey.id, name);
      await query.refetch();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("Rename passkey")}
      confirmLabel={t("Save")}
      form={form}
      mutation={renaming}
    >
      <Field label={t("Name")} {...form.input("name")} maxLength={100} />
    </FormDialog>
  );
}

interface RemovePasskeyProps extends DialogProps {
  passkey: PasskeyRow;
}

function RemovePasskey({ remove, query, passkey, needsPassword, onClose }: RemovePasskeyProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const schema = z.object({ password: needsPassword ? secret() : z.string() });
  const form = useForm(schema, { password: "" });
  const removal = useMutation({
    async mutationFn({ password }: z.infer<typeof schema>) {
      await remove(passkey.id, password);
      await query.refetch();
      toast(t("Passkey removed"));
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("Remove {name}?", { name: passkey.name })}
      description={t("It will no longer sign in to your account. Delete it from your device as well.")}
      confirmLabel={t("Remove")}
      danger
      form={form}
      mutation={removal}
    >
      {needsPassword && (
        <Field
          label={t("Your password")}
          type="password"
          autoComplete="current-password"
          {...form.input("password")}
        />
      )}
    </FormDialog>
  );
}
