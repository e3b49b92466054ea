import { Code, Dialog, Notice, useTranslation } from "@purse/ui";

/** Shows a new secret, which the server does not know any more, and what to do with it. */
export function NewSecretDialog(props: {
  title: string;
  /** That the secret is not shown again. */
  warning: string;
  label: string;
  secret: string;
  hint: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Dialog open onClose={props.onClose} title={props.title}>
      <div className="stack">
        <Notice kind="warning" title={t("Copy it now")}>
          {props.warning}
        </Notice>
        <Code label={props.label} text={props.secret} />
        <p className="soft">{props.hint}</p>
      </div>
    </Dialog>
  );
}
