import { useMoralis } from "@purse/react";
import { useTranslation } from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { usePageTitle } from "../../usePageTitle.ts";
import { SignInMethods } from "./SignInMethods.tsx";

export function SignIn() {
  usePageTitle("Sign in");
  const { t } = useTranslation();
  const { isAuthenticated } = useMoralis();
  const { next, by } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  useEffect(() => {
    // Redirects to the requested page, on this server only.
    if (isAuthenticated)
      void navigate({
        href: next?.startsWith("/") && !/^\/[/\\]/.test(next) ? next : "/portfolio",
        replace: true,
      });
  }, [isAuthenticated, navigate, next]);
  return (
    <div className="narrow">
      <div className="page-head">
        <h1>{t("Sign in")}</h1>
      </div>
      <div className="card">
        <SignInMethods
          value={by ?? "wallet"}
          onChange={(method) =>
            void navigate({
              to: "/sign-in",
              search: { next, by: method === "password" ? method : undefined },
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
    </div>
  );
}
