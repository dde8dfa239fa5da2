/** All commands but `serve`. */
import type { Command } from "commander";

import { addAuditCommand } from "./audit-command.js";
import { addBackupCommands } from "./backup-commands.js";
import { addBootstrapCommand } from "./bootstrap/bootstrap-command.js";
import type { CommandContext } from "./command-context.js";
import { addDoctorCommand } from "./doctor-command.js";
import { addFederationCommand } from "./federation-command.js";
import { addKeysCommand } from "./keys-command.js";
import { addKeystoneCommands } from "./keystone-commands.js";
import { addLdapCommand } from "./ldap-command.js";
import { addLimitsCommand } from "./limits-command.js";
import { addMappingCommand } from "./mapping-command.js";
import { addMigrateCommand } from "./migrate-command.js";
import { addPolicyCommand } from "./policy-command.js";
import { addProvidersCommand } from "./providers-command.js";
import { addUsersCommand } from "./users-command.js";

export function addOperatorCommands(program: Command, context: CommandContext): void {
  addMigrateCommand(program, context);
  addBootstrapCommand(program, context);
  addKeysCommand(program, context);
  addDoctorCommand(program, context);
  addBackupCommands(program, context);
  addMappingCommand(program, context);
  addLimitsCommand(program, context);
  addFederationCommand(program, context);
  addLdapCommand(program, context);
  addPolicyCommand(program, context);
  addProvidersCommand(program, context);
  addUsersCommand(program, context);
  addAuditCommand(program, context);
  addKeystoneCommands(program, context);
}
