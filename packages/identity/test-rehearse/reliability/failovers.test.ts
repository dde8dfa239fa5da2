import {
  asynchronousContract,
  failoverContract,
} from "../../test-system/reliability/cluster/failover-contract.js";

failoverContract({ rounds: 20 });
asynchronousContract({ rounds: 20 });
