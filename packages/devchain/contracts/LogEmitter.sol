// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Emits arbitrary logs, for events that deployed contracts do not emit.
contract LogEmitter {
    function make(bytes32[] calldata topics, bytes calldata content) external {
        bytes memory data = content;
        bytes32[4] memory t;
        for (uint256 i = 0; i < topics.length; i++) t[i] = topics[i];
        (bytes32 a, bytes32 b, bytes32 c, bytes32 d) = (t[0], t[1], t[2], t[3]);
        uint256 count = topics.length;
        assembly {
            switch count
            case 0 { log0(add(data, 32), mload(data)) }
            case 1 { log1(add(data, 32), mload(data), a) }
            case 2 { log2(add(data, 32), mload(data), a, b) }
            case 3 { log3(add(data, 32), mload(data), a, b, c) }
            default { log4(add(data, 32), mload(data), a, b, c, d) }
        }
    }
}
