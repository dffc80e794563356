import { expect, it } from "vitest";
import { splitStatements } from "./split-statements.ts";

it.each([
  ["select 1; select 2;\n", ["select 1", "select 2"]],
  ["select ';', 'it''s;'; select 2", ["select ';', 'it''s;'", "select 2"]],
  ["select 1 -- one; two\n, 2;", ["select 1 -- one; two\n, 2"]],
  ["do $$ begin; end $$; do $a$ $$;$$ $a$", ["do $$ begin; end $$", "do $a$ $$;$$ $a$"]],
])("splits %j", (text, statements) => {
  expect(splitStatements(text)).toEqual(statements);
});
