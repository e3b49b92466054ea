// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// A registry of pools with the lookup of Curve's registries and factories.
contract CurveRegistry {
    struct Pool {
        address pool;
        address[] coins;
    }

    Pool[] private pools;

    /// `coins` can contain coins of another pool in which this one trades.
    function add(address pool, address[] calldata coins) external {
        pools.push(Pool(pool, coins));
    }

    /// The i-th pool that trades two coins; the null address after the last.
    function find_pool_for_coins(address from, address to, uint256 i) external view returns (address) {
        for (uint256 n = 0; n < pools.length; n++) {
            if (!_has(pools[n].coins, from) || !_has(pools[n].coins, to)) continue;
            if (i == 0) return pools[n].pool;
            i--;
        }
        return address(0);
    }

    function _has(address[] storage coins, address coin) private view returns (bool) {
        for (uint256 n = 0; n < coins.length; n++) if (coins[n] == coin) return true;
        return false;
    }
}
