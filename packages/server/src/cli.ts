#!/usr/bin/env node
/** The `oriel-server` command line, with which operators run and maintain the service. */
import { refuseOldNode } from "@oriel/commands/refuse-old-node";

refuseOldNode("oriel-server");
const { runCommandLine } = await import("@oriel/commands/run-command");
const { version } = await import("@oriel/commands/version");
const { pathsHint, isMistake } = await import("./platform/describe-error.ts");

await runCommandLine(
  {
    program: "oriel-server",
    version,
    commands: {
      serve: async () => [(await import("./commands/serve.ts")).serveCommand],
      migrate: async () => [(await import("./commands/migrate.ts")).migrateCommand],
      account: async () => (await import("./commands/account.ts")).accountCommands,
      acquirer: async () => (await import("./commands/acquirer.ts")).acquirerCommands,
      operator: async () => (await import("./commands/operator.ts")).operatorCommands,
      user: async () => (await import("./commands/user.ts")).userCommands,
      key: async () => (await import("./commands/key.ts")).keyCommands,
      vault: async () => [(await import("./commands/vault.ts")).vaultCommand],
      audit: async () => (await import("./commands/audit.ts")).auditCommands,
      backup: async () => (await import("./commands/backup.ts")).backupCommands,
      restore: async () => [(await import("./commands/backup.ts")).restoreCommand],
      "key-files": async () => [(await import("./commands/key-files.ts")).keyFilesCommand],
      embed: async () => [(await import("./commands/embed.ts")).embedCommand],
      doctor: async () => [(await import("./commands/doctor.ts")).doctorCommand],
    },
    note: `Set environment variables such as DATABASE_URL and ORIEL_DATA_DIR to configure Oriel.
To check an installation, run "oriel-server doctor". To protect its data, run "oriel-server backup" every day.
Oriel's repository lists all variables in .env.example, and explains the commands in docs/operate.md.`,
    isMistake,
    pathsHint,
  },
  process.argv.slice(2),
);
