/** Hundreds of workloads at once; a rehearsal has thousands. */
import { postgresDatabases, sqliteDatabases } from "../../../test/databases.js";
import { workloadBoundContract } from "./workload-bound-contract.js";

const size = { subjects: 300, maxUsers: 60, connections: 48 };

workloadBoundContract(postgresDatabases, { ...size, processes: [{}, {}] });
workloadBoundContract(sqliteDatabases, { ...size, processes: [{ IDENTITY_WORKERS: "2" }] });
