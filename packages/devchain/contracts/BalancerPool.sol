// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// The weights of a weighted pool of Balancer, of which the vault has the tokens.
contract BalancerPool {
    uint256[] private weights;

    constructor(uint256[] memory weights_) {
        weights = weights_;
    }

    function getNormalizedWeights() external view returns (uint256[] memory) {
        return weights;
    }
}
