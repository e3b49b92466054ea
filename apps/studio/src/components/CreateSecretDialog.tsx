import { Code, Dialog, FormDialog, Notice, useTranslation } from "@purse/ui";
import type { ComponentProps } from "react";

type FormProps<Values> = ComponentProps<typeof FormDialog<Values>>;

export interface CreateSecretDialogProps<Values>
  extends Pick<FormProps<Values>, "title" | "form" | "mutation" | "children" | "onClose"> {
  /** The new secret, which the server does not know any more; undefined until it is created. */
  secret: string | undefined;
  secretTitle: string;
  secretLabel: string;
  /** That the secret is not shown again. */
  warning: string;
  /** What to do with it. */
  hint: string;
}

/** Creates a secret with a form, and shows it once. */
export function CreateSecretDialog<Values>(props: CreateSecretDialogProps<Values>) {
  const { secret, secretTitle, secretLabel, warning, hint, ...form } = props;
  const { t } = useTranslation();
  if (secret === undefined)
    return <FormDialog {...form} confirmLabel={t("Create")} onDone={() => undefined} />;
  return (
    <Dialog open onClose={props.onClose} title={secretTitle}>
      <div className="stack">
        <Notice kind="warning" title={t("Copy it now")}>
          {warning}
        </Notice>
        <Code label={secretLabel} text={secret} />
        <p className="soft">{hint}</p>
      </div>
    </Dialog>
  );
}
