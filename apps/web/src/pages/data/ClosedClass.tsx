import { useMoralis } from "@purse/react";
import { EmptyState, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { permissionsUrl } from "./classes.ts";

/** What to do about a class that its permissions do not allow the visitor to read. */
export function ClosedClass({ className }: { className: string }) {
  const { t } = useTranslation();
  const { user } = useMoralis();
  return (
    <EmptyState
      title={t("You don't have permission to read {class}", { class: className })}
      action={
        <div className="row">
          {user === null && (
            <Link to="/sign-in" search={{ next: `/data?class=${className}` }} className="button primary">
              {t("Sign in")}
            </Link>
          )}
          <a href={permissionsUrl(className)} className="button">
            {t("Change permissions in the studio")}
          </a>
        </div>
      }
    >
      {user === null
        ? t("Sign in with an account that has permission.")
        : t("Sign in with another account, or ask an operator to change the permissions of the class.")}
    </EmptyState>
  );
}
