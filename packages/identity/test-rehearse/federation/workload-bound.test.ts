/** The bound on users of workloads, with thousands at once. */
import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { workloadBoundContract } from "../../test-system/federation/workload/workload-bound-contract.js";

const size = { subjects: 4000, maxUsers: 1000, connections: 128 };

workloadBoundContract(postgresDatabases, { ...size, processes: [{}, {}] });
workloadBoundContract(postgresDatabases, { ...size, subjects: 5000, maxUsers: 3, processes: [{}, {}] });
workloadBoundContract(sqliteDatabases, { ...size, processes: [{ IDENTITY_WORKERS: "2" }] });
