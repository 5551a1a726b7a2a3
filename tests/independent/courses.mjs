// Replays tournaments without the records of their matches: node courses.mjs FOLDER; says in which tables it differs.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gradesTable } from "./grades.mjs";
import { makeTables, scheduleTable } from "./tables.mjs";
import { course } from "./tournaments.mjs";

const folder = process.argv[2], read = (...path) => readFileSync(join(folder, ...path));
for (const number of readdirSync(folder).filter((name) => /^\d+$/.test(name))) {
  const files = new Map([["openings.json", read("openings.json")]]);
  for (const file of readdirSync(join(folder, number))) files.set(`tournaments/cup/${file}`, read(number, file));
  try {
    const t = course(files, "cup", (text) => { throw Error(text); });
    const tables = t.counting(() => {
      const made = makeTables(t);
      return { ...made.tables, "grades.csv": gradesTable(t, made.rows, made.ratings) };
    });
    tables["schedule.csv"] = scheduleTable(t);
    for (const [name, table] of Object.entries(tables)) if (table !== files.get(`tournaments/cup/${name}`).toString()) console.log(`${number}: ${name}`);
  } catch (error) { console.log(`${number}: ${error.message}`); }
}
