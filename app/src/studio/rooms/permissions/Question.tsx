import type { StudioPermissionCheck } from "@purse/protocol";
import { Check, LoaderCircle, X } from "lucide-react";
import { Select } from "../../../design/Choice.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import type { ClassRow } from "../parts/classes.ts";
import { Finder, startOf, UserFinder, useUserNames } from "../parts/Finder.tsx";
import { textOf } from "../parts/fields.ts";
import { Answered, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { Answer } from "./Answer.tsx";
import { OPERATIONS, type Operation } from "./permissions.ts";

/** Fields come with an update: they are no question of their own. */
const ASKED = OPERATIONS.filter((operation) => operation !== "addField");

/** May a user do something with an object of a class, and why: the question is in the address of the page. */
export function Question({ classes }: { classes: readonly ClassRow[] }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useUrl("class");
  const [user, setUser] = useUrl("user");
  const [object, setObject] = useUrl("object");
  const [asked, setAsked] = useUrl("operation");
  const className =
    classes.find((each) => each.className === chosen)?.className ?? classes[0]?.className ?? "";
  const operation = ASKED.find((each) => each === asked) ?? "get";
  const names = useUserNames(user === "" ? [] : [user]);
  return (
    <>
      <Section title={t("The question")}>
        <div className="filters">
          <UserFinder
            label={t("User")}
            placeholder={t("Somebody who is not signed in")}
            value={user}
            onChange={setUser}
          />
          <Select
            label={t("Class")}
            value={className}
            onChange={(to) => {
              setChosen(to);
              setObject("");
            }}
            options={classes.map((each) => ({ key: each.className, label: each.className }))}
          />
          <Finder
            key={className}
            label={t("Object")}
            placeholder={t("Any: what the class lets them")}
            value={object}
            shown={object}
            onChange={setObject}
            path={`/data/${encodeURIComponent(className)}`}
            queryFor={(text) => ({
              keys: "objectId",
              order: "-createdAt",
              ...(text !== "" && { where: { objectId: { $regex: startOf(text) } } }),
            })}
            foundIn={(row) => ({
              key: textOf(row, "objectId"),
              label: textOf(row, "objectId"),
              about: textOf(row, "createdAt").slice(0, 10),
            })}
            takesAnything
          />
        </div>
        <fieldset className="operations" aria-label={t("Operation")}>
          {ASKED.map((each) => (
            <OperationChoice
              key={each}
              question={{ className, operation: each, user, object }}
              isChosen={each === operation}
              onChoose={() => setAsked(each)}
            />
          ))}
        </fieldset>
      </Section>
      <AnswerTo question={{ className, operation, user, object }} name={names.get(user) ?? user} />
    </>
  );
}

interface Asked {
  className: string;
  operation: Operation;
  user: string;
  object: string;
}

function useCheck({ className, operation, user, object }: Asked) {
  return useAnswer<StudioPermissionCheck>("/permissions/check", {
    // A new object has no id yet.
    query: { className, operation, user, objectId: operation === "create" ? "" : object },
    enabled: className !== "",
  });
}

/** An operation with its answer; pressed, it says why. */
function OperationChoice({
  question,
  isChosen,
  onChoose,
}: {
  question: Asked;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const { t } = useTranslation();
  const { data, error } = useCheck(question);
  return (
    <button type="button" aria-pressed={isChosen} onClick={onChoose}>
      {question.operation}
      {data ? (
        data.isOfSome ? (
          <span className="small">{t("some")}</span>
        ) : (
          <span data-allowed={data.isAllowed}>
            {data.isAllowed ? <Check size={18} aria-hidden="true" /> : <X size={18} aria-hidden="true" />}
            <span className="visually-hidden">{data.isAllowed ? t("yes") : t("no")}</span>
          </span>
        )
      ) : error ? (
        <span className="soft">–</span>
      ) : (
        <LoaderCircle size={18} className="soft" aria-hidden="true" />
      )}
    </button>
  );
}

function AnswerTo({ question, name }: { question: Asked; name: string }) {
  const { t } = useTranslation();
  const answer = useCheck(question);
  return (
    <Section title={t("The answer")}>
      <Answered answer={answer} label={t("Asking the guards")}>
        {(check) => <Answer check={check} question={question} name={name} />}
      </Answered>
    </Section>
  );
}
