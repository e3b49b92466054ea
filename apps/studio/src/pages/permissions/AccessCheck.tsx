import type { StudioClass } from "@purse/server/studio-api";
import {
  Button,
  dataFieldsOf,
  EmptyState,
  isNotFound,
  QueryState,
  rowLabel,
  Select,
  searchWhere,
  useTranslation,
} from "@purse/ui";
import { Check, LoaderCircle, X } from "lucide-react";
import { Combobox, UserCombobox, useUserNames } from "../../components/Combobox.tsx";
import { stringField } from "../../components/fields.ts";
import { Section } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { CheckResult } from "./CheckResult.tsx";
import { OPERATIONS } from "./permissionMatrix.ts";

/** `addField` is part of an update and not checked by itself. */
const CHECKED_OPERATIONS = OPERATIONS.filter((operation) => operation !== "addField");

/** Checks whether a user can access a class or an object, and why. The request is kept in the URL. */
export function AccessCheck({ classes }: { classes: readonly StudioClass[] }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useSearchParam("class");
  const [user, setUser] = useSearchParam("user");
  const [object, setObject] = useSearchParam("object");
  const [operationParam, setOperation] = useSearchParam("operation");
  const className =
    classes.find((each) => each.className === chosen)?.className ?? classes[0]?.className ?? "";
  const operation = CHECKED_OPERATIONS.find((each) => each === operationParam) ?? "get";
  const names = useUserNames(user === "" ? [] : [user]);
  const fields = dataFieldsOf(classes.find((each) => each.className === className)?.fields ?? {});
  const row = useStudioQuery(
    "/data/:className/rows/:objectId",
    { className, objectId: object },
    { enabled: object !== "" && className !== "" },
  );
  const isMissing = object !== "" && isNotFound(row.error);
  // One failed request says that there is no such object; a check of each operation would fail, too.
  const isReady = object === "" || row.data !== undefined;
  return (
    <>
      <Section title={t("Request")}>
        <div className="filters">
          <UserCombobox label={t("User")} placeholder={t("Anonymous user")} value={user} onChange={setUser} />
          <Select
            label={t("Class")}
            value={className}
            onChange={(to) => {
              setChosen(to);
              setObject("");
            }}
            options={classes.map((each) => ({ key: each.className, label: each.className }))}
          />
          <Combobox
            key={className}
            label={t("Object")}
            placeholder={t("Any object")}
            value={object}
            displayValue={[row.data ? rowLabel(row.data) : "", object].filter(Boolean).join(" · ")}
            onChange={setObject}
            className={className}
            buildQuery={(text) => ({ order: "-createdAt", where: searchWhere(text, fields) })}
            toOption={(each) => ({
              key: stringField(each, "objectId"),
              label: rowLabel(each) || stringField(each, "objectId"),
              description: stringField(each, "objectId"),
            })}
          />
        </div>
        <fieldset className="operations" aria-label={t("Operation")}>
          {CHECKED_OPERATIONS.map((each) => (
            <OperationChoice
              key={each}
              request={{ className, operation: each, user, object }}
              isReady={isReady}
              isSelected={each === operation}
              onSelect={() => setOperation(each)}
            />
          ))}
        </fieldset>
      </Section>
      {isMissing ? (
        <Section title={t("Result")}>
          <EmptyState
            title={t("{class} has no object {id}", { class: className, id: object })}
            action={<Button onClick={() => setObject("")}>{t("Check any object")}</Button>}
          >
            {t("It may have been deleted. Find another one by its ID or a text in it.")}
          </EmptyState>
        </Section>
      ) : (
        <CheckSection
          request={{ className, operation, user, object }}
          isReady={isReady || row.error !== null}
          name={names.get(user) ?? user}
        />
      )}
    </>
  );
}

interface PermissionRequest {
  className: string;
  operation: (typeof CHECKED_OPERATIONS)[number];
  user: string;
  object: string;
}

function useCheck({ className, operation, user, object }: PermissionRequest, isReady: boolean) {
  return useStudioQuery(
    "/permissions/check",
    // A new object has no id yet.
    { className, operation, user, objectId: operation === "create" ? "" : object },
    { enabled: className !== "" && isReady },
  );
}

interface OperationChoiceProps {
  request: PermissionRequest;
  /** Whether the object is known. */
  isReady: boolean;
  isSelected: boolean;
  onSelect: () => void;
}

/** A button for an operation that shows its result; selecting it shows the details. */
function OperationChoice({ request, isReady, isSelected, onSelect }: OperationChoiceProps) {
  const { t } = useTranslation();
  const { data, error } = useCheck(request, isReady);
  return (
    <button type="button" aria-pressed={isSelected} onClick={onSelect}>
      {request.operation}
      {data ? (
        data.isOfSome ? (
          <span className="small">{t("some")}</span>
        ) : (
          <span data-allowed={data.isAllowed}>
            {data.isAllowed ? <Check size={18} aria-hidden="true" /> : <X size={18} aria-hidden="true" />}
            <span className="visually-hidden">{data.isAllowed ? t("yes") : t("no")}</span>
          </span>
        )
      ) : error || !isReady ? (
        <span className="soft">–</span>
      ) : (
        <LoaderCircle size={18} className="soft" aria-hidden="true" />
      )}
    </button>
  );
}

interface CheckSectionProps {
  request: PermissionRequest;
  isReady: boolean;
  name: string;
}

function CheckSection({ request, isReady, name }: CheckSectionProps) {
  const { t } = useTranslation();
  const query = useCheck(request, isReady);
  return (
    <Section title={t("Result")}>
      <QueryState query={query} label={t("Checking permissions…")}>
        {(check) => <CheckResult check={check} request={request} name={name} />}
      </QueryState>
    </Section>
  );
}
