import { failoverContract } from "./cluster/failover-contract.js";

failoverContract({ rounds: 1 });
