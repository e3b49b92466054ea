import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import * as z from "zod/mini";
import { Button } from "../components/Button.tsx";
import { Code } from "../components/Code.tsx";
import { Dialog } from "../components/Dialog.tsx";
import { Field, type FieldProps } from "../components/Field.tsx";
import { QrCode } from "../components/QrCode.tsx";
import { Notice, Status } from "../components/Status.tsx";
import { useToast } from "../components/Toasts.tsx";
import { downloadFile } from "../downloadFile.ts";
import { FormDialog, MutationDialog } from "../forms/FormDialog.tsx";
import { optionalText, requiredText, secret } from "../forms/schemas.ts";
import { useForm } from "../forms/useForm.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";

interface FactorKey {
  secret: string;
  /** The URL of the secret for authenticator apps. */
  url: string;
}

export interface SecondFactorProps {
  isOn: boolean;
  /** Whether the account has a password; undefined while unknown. */
  hasPassword?: boolean | undefined;
  /** Creates a key if that needs no password. */
  createKey?: () => FactorKey;
  /** Requests a key with the password. */
  requestKey?: (password: string) => Promise<FactorKey>;
  /** Confirms the secret with a code; returns the recovery codes. */
  confirm: (code: string, secret: string) => Promise<readonly string[]>;
  /** Enables the factor by a passkey of the account, if it has one; returns the recovery codes. */
  confirmByPasskey?: (() => Promise<readonly string[]>) | undefined;
  /** Whether passkeys take the place of codes: `code` is then empty for a passkey. */
  allowsPasskey?: boolean;
  /** `code` may be a recovery code, `password` is empty if keys need none. */
  remove: (credentials: { password: string; code: string }) => Promise<unknown>;
  /** Runs after the factor was removed, or its recovery codes were shown. */
  onChanged?: () => void;
}

/** Shows whether two-factor authentication is enabled, and enables or disables it. */
export function SecondFactor(props: SecondFactorProps) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"add" | "passkey" | "remove" | undefined>(undefined);
  const close = () => setDialog(undefined);
  const change = () => {
    close();
    props.onChanged?.();
  };
  return (
    <section className="card stack" aria-label={t("Two-factor authentication")}>
      <h2>{t("Two-factor authentication")}</h2>
      <p>
        {props.isOn ? (
          <Status kind="ok">{t("On – code required at sign-in")}</Status>
        ) : (
          <Status kind="warning">
            {props.hasPassword === false ? t("Off – no code needed at sign-in") : t("Off – password only")}
          </Status>
        )}
      </p>
      <p className="soft">
        {t("Require a code from an authenticator app at sign-in. A stolen password alone is not enough.")}
      </p>
      <div className="row">
        {props.isOn ? (
          <Button variant="danger" onClick={() => setDialog("remove")}>
            {t("Disable")}
          </Button>
        ) : (
          <>
            <Button variant="primary" onClick={() => setDialog("add")}>
              {t("Set up")}
            </Button>
            {props.confirmByPasskey && (
              <Button onClick={() => setDialog("passkey")}>{t("Use my passkeys")}</Button>
            )}
          </>
        )}
      </div>
      {dialog === "add" && <SetUpFactor {...props} onClose={close} onChanged={change} />}
      {dialog === "passkey" && props.confirmByPasskey && (
        <EnableByPasskey confirm={props.confirmByPasskey} onClose={close} onChanged={change} />
      )}
      {dialog === "remove" && <RemoveFactor {...props} onClose={close} onChanged={change} />}
    </section>
  );
}

type DialogProps = SecondFactorProps & { onClose: () => void; onChanged: () => void };

/** Prompts for the password if needed, shows the QR code, confirms a code and shows the recovery codes. */
function SetUpFactor(props: DialogProps) {
  const { createKey, requestKey, confirm, onClose, onChanged } = props;
  const [key, setKey] = useState(createKey);
  const [codes, setCodes] = useState<readonly string[] | undefined>(undefined);
  if (codes) return <RecoveryCodes text={codes.join("\n")} onDone={onChanged} />;
  if (key) return <ConfirmCode factorKey={key} {...{ confirm, onClose }} onDone={setCodes} />;
  return requestKey ? <RequestKey {...{ requestKey, onClose }} onDone={setKey} /> : null;
}

interface EnableByPasskeyProps extends Pick<DialogProps, "onClose" | "onChanged"> {
  confirm: () => Promise<readonly string[]>;
}

/** Enables the factor by a passkey and shows the recovery codes. */
function EnableByPasskey({ confirm, onClose, onChanged }: EnableByPasskeyProps) {
  const { t } = useTranslation();
  const [codes, setCodes] = useState<readonly string[]>();
  const enable = useMutation({ mutationFn: async () => setCodes(await confirm()) });
  if (codes) return <RecoveryCodes text={codes.join("\n")} onDone={onChanged} />;
  return (
    <MutationDialog
      onClose={onClose}
      onDone={() => undefined}
      title={t("Require a passkey after the password?")}
      description={t("Confirm with a passkey. You get recovery codes in case you lose it.")}
      confirmLabel={t("Continue")}
      mutation={enable}
    />
  );
}

const PASSWORD = z.object({ password: secret() });

interface RequestKeyProps extends Required<Pick<DialogProps, "requestKey" | "onClose">> {
  onDone: (key: FactorKey) => void;
}

function RequestKey({ requestKey, onClose, onDone }: RequestKeyProps) {
  const { t } = useTranslation();
  const form = useForm(PASSWORD, { password: "" });
  const request = useMutation({
    mutationFn: async ({ password }: z.infer<typeof PASSWORD>) => onDone(await requestKey(password)),
  });
  return (
    <FormDialog
      onClose={onClose}
      onDone={() => undefined}
      title={t("Set up two-factor authentication")}
      description={t("Enter your password to continue.")}
      confirmLabel={t("Continue")}
      form={form}
      mutation={request}
    >
      <OwnPassword {...form.input("password")} />
    </FormDialog>
  );
}

const CODE = z.object({ code: requiredText() });

interface ConfirmCodeProps extends Pick<DialogProps, "confirm" | "onClose"> {
  factorKey: FactorKey;
  onDone: (codes: readonly string[]) => void;
}

function ConfirmCode({ factorKey, confirm, onClose, onDone }: ConfirmCodeProps) {
  const { t } = useTranslation();
  const form = useForm(CODE, { code: "" });
  const enable = useMutation({
    mutationFn: async ({ code }: z.infer<typeof CODE>) =>
      onDone(await confirm(code.replace(/\s/g, ""), factorKey.secret)),
  });
  return (
    <FormDialog
      onClose={onClose}
      onDone={() => undefined}
      title={t("Scan this QR code")}
      description={t("Scan it with an authenticator app, then enter the code it shows.")}
      confirmLabel={t("Enable")}
      form={form}
      mutation={enable}
    >
      <QrCode text={factorKey.url} label={t("QR code")} />
      <Code label={t("Or enter this key manually")} text={factorKey.secret} />
      <Field
        label={t("Authenticator code")}
        inputMode="numeric"
        {...form.input("code")}
        maxLength={10}
        autoComplete="one-time-code"
      />
    </FormDialog>
  );
}

/** Stays open until the user confirms to have saved the codes. */
function RecoveryCodes({ text, onDone }: { text: string; onDone: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onClose={() => undefined}
      title={t("Your recovery codes")}
      actions={
        <>
          <Button onClick={() => downloadFile("purse-recovery-codes.txt", `${text}\n`)}>
            {t("Download")}
          </Button>
          <Button variant="primary" onClick={onDone}>
            {t("I've saved my recovery codes")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Notice kind="warning" title={t("Save these codes now")}>
          {t("You won't see these codes again. Each code works once if you lose your authenticator.")}
        </Notice>
        <Code label={t("Recovery codes")} text={text} />
      </div>
    </Dialog>
  );
}

function RemoveFactor({ requestKey, allowsPasskey, remove, onClose, onChanged }: DialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const schema = z.object({
    password: requestKey ? secret() : z.string(),
    code: allowsPasskey ? optionalText : requiredText(),
  });
  const form = useForm(schema, { password: "", code: "" });
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => toast(t("Two-factor authentication disabled")),
  });
  return (
    <FormDialog
      onClose={onClose}
      onDone={onChanged}
      title={t("Disable two-factor authentication?")}
      description={t("You will sign in with your password only.")}
      confirmLabel={t("Disable")}
      danger
      form={form}
      mutation={removal}
    >
      {requestKey && <OwnPassword {...form.input("password")} />}
      <Field
        label={t("Code")}
        hint={
          allowsPasskey
            ? t("Authenticator code or recovery code. Leave empty to use a passkey that you have.")
            : t("Authenticator code or recovery code")
        }
        {...form.input("code")}
        autoComplete="one-time-code"
      />
    </FormDialog>
  );
}

function OwnPassword(input: Partial<FieldProps>) {
  const { t } = useTranslation();
  return <Field {...input} label={t("Your password")} type="password" autoComplete="current-password" />;
}
